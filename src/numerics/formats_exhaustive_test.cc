// All 2^32 float32 inputs of every format: the conversions of each instruction set against the
// reference codec, rounded to nearest even with native overflow.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/codec.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

constexpr std::int64_t kChunks = 1 << 16;
constexpr std::uint32_t kChunkSize = 1 << 16;
constexpr int kThreads = 2;

class FormatExhaustiveTest : public testing::TestWithParam<DType> {
 protected:
  const DTypeInfo& info_ = GetDTypeInfo(GetParam());
  const CodecConstants codec_ =
      MakeCodecConstants(info_, OverflowMode::kNative).value_or(CodecConstants{});
  const std::vector<InstructionSet> sets_ = test::SetsThatDifferIn(&Kernels::encode);

  // Returns how many of a chunk's inputs any kernel encodes or rounds otherwise.
  [[nodiscard]] std::int64_t Differences(std::int64_t chunk) const {
    std::vector<float> values(kChunkSize);
    std::vector<std::uint32_t> expected(kChunkSize);
    std::vector<float> expected_values(kChunkSize);
    for (std::uint32_t i = 0; i < kChunkSize; ++i) {
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(chunk) * kChunkSize + i);
      expected[i] = static_cast<std::uint32_t>(EncodeFloat32(info_, values[i]));
      expected_values[i] = DecodeFloat32(info_, expected[i]);
    }
    const std::size_t bytes = CodeBytes(info_.total_bits);
    std::int64_t different = 0;
    for (const InstructionSet isa : sets_) {
      const Kernels& kernels = KernelsFor(isa);
      std::vector<std::byte> codes(kChunkSize * bytes);
      kernels.encode(values.data(), kChunkSize, codec_, codes.data());
      std::vector<float> rounded(kChunkSize);
      kernels.round_values(values.data(), kChunkSize, codec_, rounded.data());
      for (std::uint32_t i = 0; i < kChunkSize; ++i) {
        std::uint32_t code = 0;
        std::memcpy(&code, codes.data() + i * bytes, bytes);
        const bool same_value = std::bit_cast<std::uint32_t>(rounded[i]) ==
                                    std::bit_cast<std::uint32_t>(expected_values[i]) ||
                                (std::isnan(rounded[i]) && std::isnan(expected_values[i]));
        if (code != expected[i] || !same_value) ++different;
      }
    }
    return different;
  }
};

INSTANTIATE_TEST_SUITE_P(EveryFormat, FormatExhaustiveTest,
                         testing::ValuesIn(AllDTypes().begin(), AllDTypes().end()),
                         [](const testing::TestParamInfo<DType>& param) {
                           return std::string(DTypeName(param.param));
                         });

TEST_P(FormatExhaustiveTest, EveryFloat32HasTheReferencesCodeAndValue) {
  if (!MakeCodecConstants(info_, OverflowMode::kNative)) {
    GTEST_SKIP() << "converted by the reference codec itself";
  }
  std::atomic<std::int64_t> different = 0;
  ParallelFor(kChunks, kThreads, [&](std::int64_t chunk) { different += Differences(chunk); });
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace narrowgauge::internal
