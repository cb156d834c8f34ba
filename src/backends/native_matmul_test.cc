// Holds every row of native_kernels.inc that this machine runs to its promise, bit for bit.

#include "src/backends/native_matmul.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "narrowgauge/accumulation.h"
#include "src/backends/plain_dot.h"
#include "src/numerics/bfloat16.h"
#include "src/numerics/codec.h"
#include "src/numerics/widen.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

std::vector<std::size_t> RowsThatRunHere() {
  const InstructionSet best = SupportedInstructionSets().back();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < AllNativeTiles().size(); ++i) {
    if (AllNativeTiles()[i].info.isa <= best) rows.push_back(i);
  }
  return rows;
}

std::string RowName(const testing::TestParamInfo<std::size_t>& param) {
  const NativeKernelInfo& info = AllNativeTiles()[param.param].info;
  std::string name;
  for (const std::string_view part : {InstructionSetName(info.isa), info.name, DTypeName(info.x)}) {
    for (const char c : part) {
      if (c != '_') name += c;
    }
  }
  return name;
}

enum class Elements : std::uint8_t {
  kTame,     // Sums stay finite, and far from subnormal.
  kAnyBits,  // Every code: NaN, infinities, subnormals, -0, overflowing products.
  kSpecial,  // Tame ones and, now and then, one of any bits.
};

// A matrix and the bytes it lies in.
struct StoredMatrix {
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<std::byte> bytes = {};

  [[nodiscard]] TensorView View() const { return {dtype, {rows, columns}, bytes}; }
  [[nodiscard]] std::vector<float> Values() const {
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    WidenToFloat32(dtype, bytes.data(), rows * columns, values.data());
    return values;
  }
  void SetCode(std::int64_t i, std::uint64_t code) {
    const int bits = StorageBits(GetDTypeInfo(dtype));
    if (bits > GetDTypeInfo(dtype).total_bits) code <<= bits - GetDTypeInfo(dtype).total_bits;
    for (std::int64_t b = i * bits; b < (i + 1) * bits; ++b, code >>= 1) {
      const auto mask = static_cast<std::byte>(1 << (b % 8));
      std::byte& byte = bytes[static_cast<std::size_t>(b / 8)];
      byte = (code & 1) != 0 ? byte | mask : byte & ~mask;
    }
  }
};

StoredMatrix MakeMatrix(DType dtype, std::int64_t rows, std::int64_t columns, Elements elements,
                        unsigned seed) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  StoredMatrix matrix{dtype, rows, columns};
  const std::int64_t bits = rows * columns * StorageBits(info);
  matrix.bytes.resize(static_cast<std::size_t>((bits + 7) / 8));
  std::mt19937 engine(seed);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const bool any =
        elements == Elements::kAnyBits || (elements == Elements::kSpecial && engine() % 64 == 0);
    const std::uint64_t bits_drawn = (std::uint64_t{engine()} << 32) | engine();
    if (any || info.kind == DTypeKind::kInteger) {
      matrix.SetCode(i, bits_drawn & ((std::uint64_t{1} << info.total_bits) - 1));
      continue;
    }
    const auto mantissa = static_cast<double>(static_cast<std::int32_t>(bits_drawn)) * 0x1p-31;
    const int exponent = static_cast<int>((bits_drawn >> 40) % 8) - 4;
    matrix.SetCode(i, Encode(info, std::ldexp(mantissa, exponent)));
  }
  return matrix;
}

// x[M, K] and w, as K x N.
struct Operands {
  StoredMatrix x;
  StoredMatrix w;
};

Operands MakeOperands(DType x, DType w, std::int64_t rows, std::int64_t depth,
                      std::int64_t channels, Elements elements) {
  return {MakeMatrix(x, rows, depth, elements, 1), MakeMatrix(w, depth, channels, elements, 2)};
}

StoredMatrix Transposed(const StoredMatrix& w) {
  StoredMatrix result{w.dtype, w.columns, w.rows, w.bytes};
  const int bits = StorageBits(GetDTypeInfo(w.dtype));
  for (std::int64_t i = 0; i < w.rows * w.columns * bits; ++i) {
    const std::int64_t element = i / bits;
    const std::int64_t to = element % w.columns * w.rows + element / w.columns;
    const std::int64_t bit = to * bits + i % bits;
    const auto mask = static_cast<std::byte>(1 << (bit % 8));
    const bool set =
        (w.bytes[static_cast<std::size_t>(i / 8)] >> (i % 8) & std::byte{1}) != std::byte{0};
    std::byte& byte = result.bytes[static_cast<std::size_t>(bit / 8)];
    byte = set ? byte | mask : byte & ~mask;
  }
  return result;
}

// One output as the promise has it, as bits; any NaN is one.
std::uint32_t Promised(NativePromise promise, std::span<const float> x, std::span<const float> w) {
  float sum = 0;
  switch (promise) {
    case NativePromise::kFloat32Chain:
      for (std::size_t k = 0; k < x.size(); ++k) sum = std::fma(x[k], w[k], sum);
      break;
    case NativePromise::kAvx512Bf16: {
      static const DotModel model = ModelOf({.hardware = *FindHardware("intel/avx512_bf16")},
                                            DType::kBFloat16, DType::kBFloat16)
                                        .value();
      sum = static_cast<float>(PlainDot(model, x, w));
      break;
    }
    case NativePromise::kInt32: {
      std::int64_t exact = 0;
      for (std::size_t k = 0; k < x.size(); ++k) {
        exact += static_cast<std::int64_t>(x[k]) * static_cast<std::int64_t>(w[k]);
      }
      return static_cast<std::uint32_t>(exact);
    }
  }
  return std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum);
}

std::vector<std::uint32_t> Promised(NativePromise promise, const Operands& operands) {
  const std::vector<float> x = operands.x.Values();
  const std::vector<float> w = Transposed(operands.w).Values();
  const auto depth = static_cast<std::size_t>(operands.x.columns);
  std::vector<std::uint32_t> out;
  for (std::size_t m = 0; m < static_cast<std::size_t>(operands.x.rows); ++m) {
    for (std::size_t n = 0; n < static_cast<std::size_t>(operands.w.columns); ++n) {
      out.push_back(Promised(promise, std::span(x).subspan(m * depth, depth),
                             std::span(w).subspan(n * depth, depth)));
    }
  }
  return out;
}

class NativeMatmulTest : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] std::vector<std::uint32_t> Multiply(const Operands& operands, WeightAxes axes,
                                                    int threads) const {
    const StoredMatrix w = axes == WeightAxes::kDepthFirst ? operands.w : Transposed(operands.w);
    const NativeWeights weights(kernel_, kernels_, w.View(), axes, threads);
    std::vector<std::uint32_t> out(static_cast<std::size_t>(operands.x.rows * operands.w.columns),
                                   0xABABABAB);
    weights.Multiply(operands.x.View(), NativeOutput::kSums, std::as_writable_bytes(std::span(out)),
                     threads);
    if (kernel_.info.promise == NativePromise::kInt32) return out;
    for (std::uint32_t& bits : out) {
      if (std::isnan(std::bit_cast<float>(bits))) bits = 0x7FC00000U;
    }
    return out;
  }

  void Check(DType x, DType w, std::int64_t rows, std::int64_t depth, std::int64_t channels,
             Elements elements) const {
    const Operands operands = MakeOperands(x, w, rows, depth, channels, elements);
    const auto want = Promised(kernel_.info.promise, operands);
    for (const WeightAxes axes : {WeightAxes::kDepthFirst, WeightAxes::kChannelsFirst}) {
      ASSERT_EQ(Multiply(operands, axes, 1), want)
          << DTypeName(x) << " x " << DTypeName(w) << ", " << rows << " x " << depth << " x "
          << channels << ", elements " << static_cast<int>(elements);
    }
  }

  const NativeKernel& kernel_ = AllNativeTiles()[GetParam()];
  const Kernels& kernels_ = KernelsFor(kernel_.info.isa);
};

INSTANTIATE_TEST_SUITE_P(EveryRow, NativeMatmulTest, testing::ValuesIn(RowsThatRunHere()), RowName);

TEST_P(NativeMatmulTest, EverySmallShape) {
  int shapes = 0;
  for (std::int64_t rows = 0; rows <= 14; ++rows) {
    for (std::int64_t depth = 0; depth <= 10; ++depth) {
      for (std::int64_t channels = 0; channels <= 18; ++channels) {
        if (shapes++ % test::kStride != 0) continue;
        Check(kernel_.info.x, kernel_.info.w, rows, depth, channels, Elements::kSpecial);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(NativeMatmulTest, ShapesAroundTilesAndPanels) {
  for (const std::int64_t rows : {1, 5, 6, 7, 13}) {
    for (const std::int64_t depth : {1, 2, 3, 19, 20}) {
      for (const std::int64_t channels : {15, 16, 17, 31, 63, 64, 65, 130}) {
        for (const Elements elements : {Elements::kTame, Elements::kAnyBits}) {
          Check(kernel_.info.x, kernel_.info.w, rows, depth, channels, elements);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

// K of several blocks, and of parts of packed channels.
TEST_P(NativeMatmulTest, SumsAreCarriedFromBlockToBlock) {
  const std::int64_t block = 1024 * kWordBytes / ElementBytes(kernel_.words);
  for (const std::int64_t depth : {511L, 512L, 513L, block - 1, block, block + 1, 2 * block + 3}) {
    Check(kernel_.info.x, kernel_.info.w, 7, depth, 18, Elements::kTame);
    if (HasFatalFailure()) return;
  }
}

// Products that are worth a thread, in blocks of rows and in groups of panels: one thread is held
// to the promise above, so that others need only do as it does.
TEST_P(NativeMatmulTest, AnyNumberOfThreadsGivesTheSameBits) {
  const std::int64_t elements = kWordBytes / ElementBytes(kernel_.words);
  for (const auto& [rows, words, channels] : {std::array{200, 303, 70}, std::array{5, 940, 900}}) {
    const Operands operands = MakeOperands(kernel_.info.x, kernel_.info.w, rows,
                                           words * elements - 1, channels, Elements::kSpecial);
    const auto want = Multiply(operands, WeightAxes::kDepthFirst, 1);
    for (const int threads : {2, 3}) {
      ASSERT_TRUE(Multiply(operands, WeightAxes::kDepthFirst, threads) == want) << threads;
    }
  }
}

TEST_P(NativeMatmulTest, ConvertsWhatItTakes) {
  for (const DType x : AllDTypes()) {
    for (const DType w : AllDTypes()) {
      if (!TakesOperands(kernel_.info, x, w)) continue;
      Check(x, w, 7, 37, 19, Elements::kSpecial);
      if (HasFatalFailure()) return;
    }
  }
  Check(kernel_.info.x, kernel_.info.w, 3, 1100, 3, Elements::kTame);
}

TEST_P(NativeMatmulTest, RoundsOnceToBFloat16) {
  if (kernel_.info.promise == NativePromise::kInt32) return;
  const Operands operands =
      MakeOperands(kernel_.info.x, kernel_.info.w, 13, 65, 70, Elements::kSpecial);
  const NativeWeights weights(kernel_, kernels_, operands.w.View(), WeightAxes::kDepthFirst, 1);
  std::vector<std::uint16_t> got(13 * 70);
  weights.Multiply(operands.x.View(), NativeOutput::kBFloat16,
                   std::as_writable_bytes(std::span(got)), 1);
  const auto sums = Promised(kernel_.info.promise, operands);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::uint16_t want = BFloat16FromFloat(std::bit_cast<float>(sums[i]));
    const bool both_nan =
        std::isnan(FloatFromBFloat16(got[i])) && std::isnan(FloatFromBFloat16(want));
    ASSERT_TRUE(got[i] == want || both_nan) << i;
  }
}

// A sum that is flushed to -0, then what fills the last word, then a product of -0.
TEST_P(NativeMatmulTest, PaddingLeavesMinusZeroAlone) {
  if (kernel_.info.promise == NativePromise::kInt32) return;
  const DTypeInfo& info = GetDTypeInfo(kernel_.info.x);
  Operands operands = MakeOperands(kernel_.info.x, kernel_.info.w, 1, 3, 1, Elements::kTame);
  for (int k = 0; k < 3; ++k) {
    operands.x.SetCode(k, Encode(info, k == 0 ? 0x1p-70 : 0.0));
    operands.w.SetCode(k, Encode(info, k == 0 ? -0x1p-70 : -1.0));
  }
  const auto want = Promised(kernel_.info.promise, operands);
  EXPECT_EQ(want[0] == 0x80000000U, kernel_.info.promise == NativePromise::kAvx512Bf16);
  EXPECT_EQ(Multiply(operands, WeightAxes::kDepthFirst, 1), want);
  EXPECT_EQ(Multiply(operands, WeightAxes::kChannelsFirst, 1), want);
}

// The largest magnitudes that codes have, in sums that pass 2^31 and 2^32.
TEST_P(NativeMatmulTest, IntegersWrap) {
  if (kernel_.info.promise != NativePromise::kInt32) return;
  const bool is_signed = kernel_.info.x == DType::kInt8;
  constexpr std::int64_t kDepth = 140'001;  // 140,001 * 2^14 > 2^31.
  for (const int x : {is_signed ? -128 : 255, is_signed ? 127 : 254}) {
    for (const int w : {-128, 127}) {
      Operands operands = {{kernel_.info.x, 1, kDepth}, {DType::kInt8, kDepth, 1}};
      operands.x.bytes.assign(kDepth, static_cast<std::byte>(x));
      operands.w.bytes.assign(kDepth, static_cast<std::byte>(w));
      const std::uint32_t want = static_cast<std::uint32_t>(kDepth * x * w);
      EXPECT_THAT(Multiply(operands, WeightAxes::kDepthFirst, 1), testing::ElementsAre(want))
          << x << " " << w;
    }
  }
}

TEST(NativeKernelListTest, EveryInstructionSetMultipliesWhatHardwareHas) {
  for (const InstructionSet isa : SupportedInstructionSets()) {
    EXPECT_NE(FindNativeKernel(isa, DType::kFloat32, DType::kFloat32, NativePromise::kFloat32Chain),
              nullptr);
    EXPECT_NE(
        FindNativeKernel(isa, DType::kBFloat16, DType::kBFloat16, NativePromise::kFloat32Chain),
        nullptr);
    EXPECT_NE(
        FindNativeKernel(isa, DType::kFloat16, DType::kFloat8E4M3Fn, NativePromise::kFloat32Chain),
        nullptr);
    EXPECT_NE(FindNativeKernel(isa, DType::kInt8, DType::kInt8, NativePromise::kInt32), nullptr);
    EXPECT_NE(FindNativeKernel(isa, DType::kUint8, DType::kInt4, NativePromise::kInt32), nullptr);
    EXPECT_EQ(FindNativeKernel(isa, DType::kUint8, DType::kUint8, NativePromise::kInt32), nullptr);
    EXPECT_EQ(FindNativeKernel(isa, DType::kFloat64, DType::kFloat32, NativePromise::kFloat32Chain),
              nullptr);
  }
}

// float8_e8m0fnu reaches 2^-127, a subnormal of bfloat16, which vdpbf16ps takes for zero.
TEST(NativeKernelListTest, TheBFloat16UnitTakesOnlyWhatItKeeps) {
  for (const NativeKernelInfo& kernel : AllNativeKernels()) {
    if (kernel.promise != NativePromise::kAvx512Bf16) continue;
    EXPECT_TRUE(TakesOperands(kernel, DType::kFloat8E5M2, DType::kInt4));
    EXPECT_FALSE(TakesOperands(kernel, DType::kFloat8E8M0Fnu, DType::kBFloat16));
    EXPECT_FALSE(TakesOperands(kernel, DType::kFloat16, DType::kBFloat16));
    EXPECT_FALSE(TakesOperands(kernel, DType::kTf32, DType::kBFloat16));
  }
}

}  // namespace
}  // namespace narrowgauge::internal
