// All 2^32 float32 inputs: the inline conversion against the codec, and each kernel against that.

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <vector>

#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"
#include "src/numerics/bfloat16.h"
#include "src/numerics/codec.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

constexpr std::int64_t kChunks = 1 << 16;
constexpr std::uint32_t kChunkSize = 1 << 16;
constexpr int kThreads = 2;

TEST(BFloat16ExhaustiveTest, TheInlineConversionIsTheCodecs) {
  const DTypeInfo& info = GetDTypeInfo(DType::kBFloat16);
  std::atomic<std::int64_t> different = 0;
  ParallelFor(kChunks, kThreads, [&](std::int64_t chunk) {
    for (std::uint32_t i = 0; i < kChunkSize; ++i) {
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(chunk) * kChunkSize + i);
      if (BFloat16FromFloat(value) != EncodeFloat32(info, value)) ++different;
    }
  });
  EXPECT_EQ(different, 0);
}

class RoundKernelExhaustiveTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, RoundKernelExhaustiveTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(RoundKernelExhaustiveTest, RoundsAsTheInlineConversion) {
  const Kernels& kernels = KernelsFor(GetParam());
  std::atomic<std::int64_t> different = 0;
  ParallelFor(kChunks, kThreads, [&](std::int64_t chunk) {
    std::vector<float> values(kChunkSize);
    for (std::uint32_t i = 0; i < kChunkSize; ++i) {
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(chunk) * kChunkSize + i);
    }
    std::vector<float> rounded(kChunkSize);
    kernels.round_to_bfloat16(values.data(), kChunkSize, rounded.data());
    for (std::uint32_t i = 0; i < kChunkSize; ++i) {
      const std::uint32_t want = std::uint32_t{BFloat16FromFloat(values[i])} << 16;
      if (std::bit_cast<std::uint32_t>(rounded[i]) != want) ++different;
    }
  });
  EXPECT_EQ(different, 0);
}

}  // namespace
}  // namespace narrowgauge::internal
