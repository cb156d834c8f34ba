// Holds every kernel on every instruction set to its promise: the bits of the plain loop.

#include "src/kernels/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "src/kernels/plain.h"
#include "src/metrics/partial.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/codec.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

using testing::ElementsAreArray;

std::vector<std::uint32_t> Bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

std::vector<std::uint64_t> Bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

// Floats of every exponent from 2^lowest to 2^highest and either sign.
std::vector<float> SpreadFloats(std::size_t count, int lowest, int highest, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto mantissa = static_cast<float>((engine() & 0xFFFFFFU) | 0x800000U);
    const int exponent =
        lowest + static_cast<int>(engine() % static_cast<unsigned>(highest - lowest + 1));
    value = std::ldexp(engine() % 2 == 0 ? mantissa : -mantissa, exponent - 23);
  }
  return values;
}

std::vector<float> RoundedToBFloat16(std::vector<float> values) {
  for (float& value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    value = std::bit_cast<float>((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
  }
  return values;
}

class KernelTest : public testing::TestWithParam<InstructionSet> {
 protected:
  const Kernels& kernels_ = KernelsFor(GetParam());
};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, KernelTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

// A new row of kernels.inc fails this until it has a test, here or beside its plain version.
TEST(KernelListTest, EveryKernelHasATest) {
  constexpr const char* kTested[] = {
      "threefry_bits",
      "normals",  // src/random/random_kernels_test.cc
      "round_to_bfloat16", "dot_float32",   "dot_float64",
      "column_absmax",     "quantize_int8", "absolute_errors",
      "square_bfloat16",   "encode",        "decode",
      "round_values",  // src/numerics/bulk_convert_test.cc
      "encode_mx",     // src/quantize/mx_codes_test.cc
      "add_chain",         "add_to_sums",   "add_aligned",
      "sum_pairwise",      "sum_exactly",  // src/backends/emulated_test.cc
      "quantize_values",                   // src/quantize/quantizer_test.cc
      "encode_scaled",     "decode_scaled", "sum_squares",
      "error_sums",        "run_absmax",    "raise_absmax",
      "run_extremes"};
  constexpr const char* kRows[] = {
#define NG_KERNEL(member, ...) #member,
#include "src/kernels/kernels.inc"
#undef NG_KERNEL
  };
  EXPECT_THAT(kRows, testing::UnorderedElementsAreArray(kTested));
}

// Rows around every tile height, depths that are odd, one and none.
constexpr std::int64_t kRowCounts[] = {0, 1, 3, 5, 6, 11, 12, 13, 17};
constexpr std::int64_t kDepths[] = {0, 1, 5, 64, 257};

TEST_P(KernelTest, DotFloat32IsTheFmaChain) {
  for (const std::int64_t rows : kRowCounts) {
    for (const std::int64_t depth : kDepths) {
      const auto x = SpreadFloats(static_cast<std::size_t>(rows * depth), -20, 20, 1);
      const auto w = SpreadFloats(static_cast<std::size_t>(depth * kPanelColumns), -20, 20, 2);
      for (const std::int64_t flip : {0, 1}) {
        if (flip == 1 && depth % 2 == 1) continue;
        std::vector<float> want(static_cast<std::size_t>(rows * kPanelColumns));
        std::vector<float> got(want.size(), -1.0F);
        plain::DotFloat32(x.data(), w.data(), rows, depth, kPanelColumns, flip, want.data());
        kernels_.dot_float32(x.data(), rows, depth, w.data(), flip, got.data());
        ASSERT_THAT(Bits(got), ElementsAreArray(Bits(want))) << rows << " x " << depth;
      }
    }
  }
}

TEST_P(KernelTest, DotFloat32KeepsSubnormalsAndOverflowsToInfinity) {
  const auto x = SpreadFloats(512, -140, 127, 3);
  const auto w = SpreadFloats(64 * kPanelColumns, -20, 20, 4);
  std::vector<float> want(8 * kPanelColumns);
  std::vector<float> got(want.size());
  plain::DotFloat32(x.data(), w.data(), 8, 64, kPanelColumns, 0, want.data());
  kernels_.dot_float32(x.data(), 8, 64, w.data(), 0, got.data());
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i]));
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want[i]));
    }
  }
}

TEST_P(KernelTest, DotFloat64IsTheCompensatedSum) {
  for (const std::int64_t rows : kRowCounts) {
    for (const std::int64_t depth : kDepths) {
      const auto x = SpreadFloats(static_cast<std::size_t>(rows * depth), -60, 60, 5);
      const auto w = SpreadFloats(static_cast<std::size_t>(depth * kPanelColumns), -60, 60, 6);
      std::vector<double> want(static_cast<std::size_t>(rows * kPanelColumns));
      std::vector<double> got(want.size(), -1.0);
      plain::DotFloat64(x.data(), w.data(), rows, depth, kPanelColumns, want.data());
      kernels_.dot_float64(x.data(), rows, depth, w.data(), got.data());
      ASSERT_THAT(Bits(got), ElementsAreArray(Bits(want))) << rows << " x " << depth;
    }
  }
}

TEST(PlainTest, CompensatedSumRecoversWhatCancels) {
  // 2^60 + 1 - 2^60: a plain float64 sum gives 0.
  const float x[] = {0x1p60F, 1.0F, -0x1p60F};
  const float w[] = {1.0F, 1.0F, 1.0F};
  double sum = 0;
  plain::DotFloat64(x, w, 1, 3, 1, &sum);
  EXPECT_EQ(sum, 1.0);
}

TEST_P(KernelTest, RoundToBFloat16RoundsHalfToEvenAndKeepsTheSignOfNan) {
  std::vector<float> in = SpreadFloats(1001, -149, 127, 9);
  for (const std::uint32_t bits :
       {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7F800001U, 0xFFFFFFFFU, 0x7F7F7FFFU,
        0x7F7F8000U, 0x3F808000U, 0x3F818000U, 0x00000001U, 0x00008000U, 0x00018000U}) {
    in.push_back(std::bit_cast<float>(bits));
  }
  std::vector<float> got(in.size());
  kernels_.round_to_bfloat16(in.data(), static_cast<std::int64_t>(in.size()), got.data());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(in[i]);
    const std::uint32_t want = std::isnan(in[i])
                                   ? (bits & 0x80000000U) | 0x7FC00000U
                                   : (bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]), want) << std::hex << bits;
  }
}

TEST_P(KernelTest, ColumnAbsmaxPassesOverNan) {
  std::vector<float> panel = SpreadFloats(33 * kPanelColumns, -140, 100, 10);
  panel[5] = std::numeric_limits<float>::quiet_NaN();
  panel[6] = -std::numeric_limits<float>::infinity();
  for (std::size_t k = 0; k < 33; ++k) panel[k * kPanelColumns + 7] = -0.0F;
  std::vector<float> got(kPanelColumns, -1.0F);
  kernels_.column_absmax(panel.data(), 33, got.data());
  for (std::size_t n = 0; n < kPanelColumns; ++n) {
    float want = 0;
    for (std::size_t k = 0; k < 33; ++k) {
      want = std::fmax(want, std::fabs(panel[k * kPanelColumns + n]));
    }
    ASSERT_EQ(std::bit_cast<std::uint32_t>(got[n]), std::bit_cast<std::uint32_t>(want)) << n;
  }
}

TEST_P(KernelTest, QuantizeInt8IsThePlainLoop) {
  constexpr std::int64_t kDepth = 129;
  std::vector<float> panel = SpreadFloats(kDepth * kPanelColumns, -10, 1, 11);
  std::vector<float> scale = SpreadFloats(kPanelColumns, -8, -6, 12);
  for (float& s : scale) s = std::fabs(s);
  scale[0] = 1.0F;
  for (std::size_t k = 0; k < kDepth; ++k)
    panel[k * kPanelColumns] = 0.5F * static_cast<float>(k) - 32;
  scale[1] = 0.0F;  // An underflowed scale: quotients are infinite or NaN.
  panel[1] = 0.0F;
  scale[2] = std::numeric_limits<float>::quiet_NaN();
  for (const bool multiply : {false, true}) {
    std::vector<float> factor = scale;
    if (multiply) {
      for (float& f : factor) f = 1.0F / f;
    }
    std::vector<std::int8_t> want_codes(panel.size());
    std::vector<std::int8_t> codes(panel.size());
    std::vector<float> want(panel.size());
    std::vector<float> got(panel.size());
    plain::QuantizeInt8(panel.data(), kDepth, kPanelColumns, factor.data(), multiply, scale.data(),
                        want_codes.data(), want.data());
    kernels_.quantize_int8(panel.data(), kDepth, factor.data(), multiply, scale.data(),
                           codes.data(), got.data());
    ASSERT_EQ(codes, want_codes);
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(got[i]) == std::bit_cast<std::uint32_t>(want[i]) ||
                  (std::isnan(got[i]) && std::isnan(want[i])));
    }
  }
}

TEST_P(KernelTest, AbsoluteErrorsAreThePlainLoop) {
  for (const std::size_t count : {0U, 1U, 15U, 16U, 100U}) {
    std::vector<float> value = SpreadFloats(count, -140, 100, 16);
    const std::vector<float> reference = SpreadFloats(count, -140, 100, 17);
    if (count > 20) value[20] = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> got(count + 1, -1.0F);
    float largest = 0;
    const float returned = kernels_.absolute_errors(value.data(), reference.data(),
                                                    static_cast<std::int64_t>(count), got.data());
    for (std::size_t i = 0; i < count; ++i) {
      const float want = std::fabs(value[i] - reference[i]);
      ASSERT_TRUE(got[i] == want || (std::isnan(got[i]) && std::isnan(want))) << i;
      largest = std::fmax(largest, want);
    }
    ASSERT_EQ(returned, largest);
    ASSERT_EQ(got[count], -1.0F) << "wrote past the end";
  }
}

class SquareTest : public KernelTest {
 protected:
  std::vector<std::uint16_t> Square(const std::vector<std::uint16_t>& a) const {
    struct alignas(64) Scratch {
      std::byte bytes[kSquareScratchBytes];
    };
    const auto scratch = std::make_unique<Scratch>();
    std::vector<std::uint16_t> out(a.size(), 0xFFFF);
    kernels_.square_bfloat16(a.data(), scratch->bytes, out.data());
    return out;
  }
};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, SquareTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

constexpr std::size_t kElements = kSquareSide * kSquareSide;

// Small integers: every order of summing them is exact, so every kernel must give these bits.
TEST_P(SquareTest, IsExactWhereSumsAreExact) {
  std::mt19937 engine(13);
  std::vector<std::uint16_t> a(kElements);
  for (std::uint16_t& code : a) {
    const float value = static_cast<float>(engine() % 17) - 8;
    code = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }
  std::vector<std::uint16_t> want(kElements);
  plain::SquareBFloat16(a.data(), kSquareSide, want.data());
  EXPECT_EQ(Square(a), want);
}

// The float32 sum of a row and a column of bfloat16 values in the order that a kernel's name tells.
float SumInOrder(std::string_view name, const float* row, const float* column) {
  if (name == "tdpbf16ps") {
    // Tiles of 32 k: the even and the odd products apart, each from zero, then both added to the
    // sum.
    float sum = 0;
    for (std::int64_t tile = 0; tile < kSquareSide; tile += 32) {
      float even = 0;
      float odd = 0;
      for (std::int64_t k = tile; k < tile + 32; k += 2) {
        even = std::fma(row[k], column[k * kSquareSide], even);
        odd = std::fma(row[k + 1], column[(k + 1) * kSquareSide], odd);
      }
      sum += even + odd;
    }
    return sum;
  }
  const std::int64_t flip = name == "vdpbf16ps" ? 1 : 0;  // Odd before even.
  float sum = 0;
  for (std::int64_t step = 0; step < kSquareSide; ++step) {
    const std::int64_t k = step ^ flip;
    sum = std::fma(row[k], column[k * kSquareSide], sum);
  }
  return sum;
}

// Operands whose products and sums are far from subnormal, which the bfloat16 instructions flush.
TEST_P(SquareTest, HasTheBitsOfTheOrderItsNameTells) {
  const auto values = RoundedToBFloat16(SpreadFloats(kElements, -20, 20, 14));
  std::vector<std::uint16_t> a(kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(values[i]) >> 16);
  }
  const auto got = Square(a);
  for (std::int64_t m = 0; m < kSquareSide; ++m) {
    for (std::int64_t n = 0; n < kSquareSide; ++n) {
      const float sum = SumInOrder(kernels_.square_bfloat16_name,
                                   &values[static_cast<std::size_t>(m * kSquareSide)],
                                   &values[static_cast<std::size_t>(n)]);
      const auto bits = std::bit_cast<std::uint32_t>(sum);
      ASSERT_EQ(got[static_cast<std::size_t>(m * kSquareSide + n)],
                (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16)
          << m << " " << n;
    }
  }
}

TEST_P(SquareTest, TheFmaChainIsExactInTheCorners) {
  if (kernels_.square_bfloat16_name != "float32 FMA chain") {
    GTEST_SKIP() << kernels_.square_bfloat16_name << " flushes subnormals";
  }
  const auto values = RoundedToBFloat16(SpreadFloats(kElements, -70, 60, 15));
  std::vector<std::uint16_t> a(kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    a[i] = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(values[i]) >> 16);
  }
  std::vector<std::uint16_t> want(kElements);
  plain::SquareBFloat16(a.data(), kSquareSide, want.data());
  EXPECT_EQ(Square(a), want);
}

TEST_P(SquareTest, InfinityAndNanComeThrough) {
  std::vector<std::uint16_t> a(kElements, 0x3F80);
  a[0] = 0x7F80;            // Row 0 and column 0 become infinite,
  a[kSquareSide] = 0xFF80;  // and where both meet, NaN.
  const auto got = Square(a);
  EXPECT_EQ(got[kElements - 1], 0x4380);  // 256
  EXPECT_EQ(got[1], 0x7F80);
  EXPECT_TRUE((got[0] & 0x7FFF) > 0x7F80) << std::hex << got[0];
}

// ---- Runs of elements ------------------------------------------------------------------------

// Factors and scales of every run, as the plain loop reads them.
struct PlainRuns {
  std::int64_t length;
  std::vector<float> factors;
  std::vector<float> scales;

  PlainRuns(std::int64_t count, std::int64_t run_length, unsigned seed) : length(run_length) {
    const std::int64_t runs = (count + length - 1) / length;
    factors = SpreadFloats(static_cast<std::size_t>(runs), -8, 8, seed);
    scales = SpreadFloats(static_cast<std::size_t>(runs), -8, 8, seed + 1);
  }
  [[nodiscard]] ScaledRuns View(bool multiply) const {
    return {
        .length = length, .factors = factors.data(), .scales = scales.data(), .multiply = multiply};
  }
};

TEST_P(KernelTest, EncodeScaledAndDecodeScaledAreThePlainLoop) {
  for (const DType dtype :
       {DType::kInt8, DType::kInt4, DType::kFloat8E4M3Fn, DType::kFloat8E5M2Fnuz,
        DType::kFloat8E8M0Fnu, DType::kBFloat16, DType::kFloat16, DType::kTf32}) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    const auto codec = MakeCodecConstants(info, OverflowMode::kSaturate);
    ASSERT_TRUE(codec.has_value());
    const std::size_t bytes = CodeBytes(info.total_bits);
    for (const std::int64_t count : {0, 1, 15, 16, 33, 100, 256}) {
      for (const std::int64_t length : {std::int64_t{1}, std::int64_t{16}, std::int64_t{32},
                                        std::max<std::int64_t>(count, 1)}) {
        const PlainRuns plain(count, length, static_cast<unsigned>(count));
        const std::vector<float> in = SpreadFloats(static_cast<std::size_t>(count), -12, 12, 7);
        for (const bool multiply : {false, true}) {
          const ScaledRuns runs = plain.View(multiply);
          std::vector<std::byte> codes(in.size() * bytes);
          kernels_.encode_scaled(in.data(), count, runs, *codec, codes.data());
          std::vector<float> values(in.size());
          kernels_.decode_scaled(codes.data(), count, runs, *codec, values.data());
          for (std::size_t i = 0; i < in.size(); ++i) {
            const std::size_t run = i / static_cast<std::size_t>(length);
            const float quotient =
                multiply ? in[i] * plain.factors[run] : in[i] / plain.factors[run];
            const std::uint64_t expected =
                EncodeFloat32(info, quotient, RoundingMode::kNearestEven, OverflowMode::kSaturate);
            std::uint64_t code = 0;
            std::memcpy(&code, codes.data() + i * bytes, bytes);
            ASSERT_EQ(code, expected) << DTypeName(dtype) << " " << quotient;
            const float value = DecodeFloat32(info, code) * plain.scales[run];
            if (std::isnan(value)) {
              ASSERT_TRUE(std::isnan(values[i]));
            } else {
              ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]),
                        std::bit_cast<std::uint32_t>(value));
            }
          }
        }
      }
    }
  }
}

TEST_P(KernelTest, SumsOfErrorsAndSquaresAreThePlainPartial) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 64, 100, 1023, 1024}) {
    const std::vector<float> reference =
        SpreadFloats(static_cast<std::size_t>(count), -120, 120, 3);
    std::vector<float> value = SpreadFloats(static_cast<std::size_t>(count), -120, 120, 4);
    std::vector<float> near = reference;
    for (std::size_t i = 0; i < value.size(); i += 3) value[i] = near[i] = reference[i] * 0.99F;
    for (std::size_t i = 1; i < value.size(); i += 3) near[i] = 0;
    for (const auto& [values, errors] :
         {std::pair(value, ErrorsAre::kFloat64), std::pair(near, ErrorsAre::kFloat64),
          std::pair(near, ErrorsAre::kFloat32)}) {
      const ErrorSums sums =
          kernels_.error_sums(reference.data(), values.data(), count, errors, reference.data());
      double squares = 0;
      kernels_.sum_squares(reference.data(), count, &squares);
      const PartialSums plain = PlainPartial(reference, values);
      EXPECT_THAT(Bits(std::vector<double>{sums.max_abs, sums.sum_abs, sums.sum_squares, squares}),
                  ElementsAreArray(Bits(std::vector<double>{
                      plain.max_abs, plain.sum_abs, plain.sum_squares, plain.reference_squares})));
    }
  }
}

TEST_P(KernelTest, SquaresAreSummedPartialByPartial) {
  for (const std::size_t count : {0U, 1U, 1024U, 1025U, 2048U, 3000U, 4096U, 5121U}) {
    const std::vector<float> in = SpreadFloats(count, -120, 120, 5);
    std::vector<double> sums((count + 1023) / 1024 + 1, -1.0);
    kernels_.sum_squares(in.data(), static_cast<std::int64_t>(count), sums.data());
    std::vector<double> expected;
    for (std::size_t begin = 0; begin < count; begin += 1024) {
      const std::span part(in.data() + begin, std::min<std::size_t>(1024, count - begin));
      expected.push_back(PlainPartial(part, part).reference_squares);
    }
    expected.push_back(-1.0);  // Not written.
    EXPECT_THAT(Bits(sums), ElementsAreArray(Bits(expected))) << count;
  }
}

TEST_P(KernelTest, SquaresAreNotFiniteWhereAnElementIsNot) {
  for (const float bad :
       {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::size_t at : {0U, 13U, 39U}) {
      std::vector<float> in(40, std::numeric_limits<float>::max());
      double sum = 0;
      kernels_.sum_squares(in.data(), 40, &sum);
      EXPECT_TRUE(std::isfinite(sum));
      in[at] = bad;
      kernels_.sum_squares(in.data(), 40, &sum);
      EXPECT_FALSE(std::isfinite(sum));
    }
  }
}

TEST_P(KernelTest, ErrorSumsAreNotFiniteWhereAValueIsNot) {
  const std::vector<float> reference(40, 1.0F);
  for (const float bad :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::size_t at : {0U, 13U, 39U}) {
      std::vector<float> value(40, 1.0F);
      value[at] = bad;
      for (const ErrorsAre errors : {ErrorsAre::kFloat32, ErrorsAre::kFloat64}) {
        const ErrorSums sums =
            kernels_.error_sums(reference.data(), value.data(), 40, errors, reference.data());
        EXPECT_FALSE(std::isfinite(sums.sum_squares));
      }
    }
  }
}

TEST_P(KernelTest, RunAbsmaxIsTheLargestMagnitude) {
  constexpr std::int64_t kRuns = 37;  // Some at a time, and a rest.
  for (const std::int64_t length : {1, 5, 15, 16, 32, 48, 64, 100, 300}) {
    std::vector<float> in = SpreadFloats(static_cast<std::size_t>(kRuns * length), -100, 100, 11);
    in[0] = -0.0F;
    std::vector<float> out(kRuns);
    kernels_.run_absmax(in.data(), kRuns * length, length, out.data());
    for (std::size_t run = 0; run < kRuns; ++run) {
      float expected = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        expected = std::max(
            expected,
            std::fabs(in[run * static_cast<std::size_t>(length) + static_cast<std::size_t>(i)]));
      }
      EXPECT_EQ(out[run], expected) << length;
    }
    in.back() = std::numeric_limits<float>::quiet_NaN();
    kernels_.run_absmax(in.data(), kRuns * length, length, out.data());
    EXPECT_TRUE(std::isnan(out[kRuns - 1]));
  }
}

TEST_P(KernelTest, RaiseAbsmaxKeepsTheLarger) {
  constexpr std::size_t kCount = 75;
  for (const std::size_t channels : {0U, 1U, 3U, 4U, 9U}) {
    std::vector<float> in = SpreadFloats(channels * kCount, -100, 100, 13);
    const std::vector<float> before = SpreadFloats(kCount, 0, 120, 14);
    std::vector<float> expected(kCount);
    std::ranges::transform(before, expected.begin(), [](float v) { return std::fabs(v); });
    std::vector<float> got = expected;
    for (std::size_t i = 0; i < in.size(); ++i) {
      expected[i % kCount] = std::max(expected[i % kCount], std::fabs(in[i]));
    }
    kernels_.raise_absmax(in.data(), static_cast<std::int64_t>(channels), kCount, got.data());
    EXPECT_EQ(got, expected) << channels;
    if (channels == 0) continue;
    in.back() = std::numeric_limits<float>::quiet_NaN();
    kernels_.raise_absmax(in.data(), static_cast<std::int64_t>(channels), kCount, got.data());
    EXPECT_TRUE(std::isnan(got.back()));
  }
}

TEST_P(KernelTest, RunExtremesAreTheLeastAndTheGreatest) {
  for (const std::int64_t length : {1, 5, 15, 16, 32, 48, 100, 300}) {
    const std::vector<float> in = SpreadFloats(static_cast<std::size_t>(3 * length), -100, 100, 12);
    std::vector<float> low(3);
    std::vector<float> high(3);
    kernels_.run_extremes(in.data(), 3 * length, length, low.data(), high.data());
    for (std::ptrdiff_t run = 0; run < 3; ++run) {
      const auto [least, greatest] =
          std::minmax_element(in.begin() + run * length, in.begin() + (run + 1) * length);
      EXPECT_EQ(low[static_cast<std::size_t>(run)], *least) << length;
      EXPECT_EQ(high[static_cast<std::size_t>(run)], *greatest) << length;
    }
  }
}

}  // namespace
}  // namespace narrowgauge::internal
