// The kernels of bits and normals against the plain versions of this folder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "src/kernels/kernels.h"
#include "src/random/normal.h"
#include "src/random/threefry.h"
#include "tests/support/every_instruction_set.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

class RandomKernelTest : public testing::TestWithParam<InstructionSet> {
 protected:
  const Kernels& kernels_ = KernelsFor(GetParam());
};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, RandomKernelTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(RandomKernelTest, BitsAreThoseOfThreefryAcrossTheCarry) {
  const PrngKey key{{0x13198A2EU, 0x03707344U}};
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{0xFFFFFFF0U},
                                    std::uint64_t{0xFFFFFFFFFFFFFFF0U}, std::uint64_t{1} << 40}) {
    for (const std::int64_t count : {0, 1, 15, 16, 17, 63}) {
      std::vector<std::uint32_t> got(static_cast<std::size_t>(count) + 1, 0xA5A5A5A5U);
      kernels_.threefry_bits(key.words.data(), first, count, got.data());
      for (std::int64_t i = 0; i < count; ++i) {
        const auto block = PartitionableBlock(key, first + static_cast<std::uint64_t>(i));
        ASSERT_EQ(got[static_cast<std::size_t>(i)], block[0] ^ block[1]) << first << " + " << i;
      }
      ASSERT_EQ(got.back(), 0xA5A5A5A5U) << "wrote past the end";
    }
  }
}

TEST_P(RandomKernelTest, AllNormalsAreThoseOfThePlainVersion) {
  constexpr std::uint32_t kChunk = 1 << 13;
  std::vector<std::uint32_t> bits(kChunk);
  std::vector<float> got(kChunk);
  for (std::uint32_t start = 0; start < (1U << 23); start += test::kStride * kChunk) {
    for (std::uint32_t i = 0; i < kChunk; ++i) bits[i] = (start + i) << 9;
    kernels_.normals(bits.data(), kChunk, got.data());
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got[i]),
                std::bit_cast<std::uint32_t>(NormalFromBits(bits[i], DefaultNumericsProfile())))
          << "bits>>9 = " << start + i;
    }
  }
}

TEST_P(RandomKernelTest, NormalsOfAnyCountMayReplaceTheirBits) {
  for (const std::size_t count : {0U, 1U, 7U, 16U, 33U}) {
    std::vector<float> values(count + 1, 1.0F);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(i * 0x9E3779B9U));
    }
    kernels_.normals(reinterpret_cast<const std::uint32_t*>(values.data()),
                     static_cast<std::int64_t>(count), values.data());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(values[i], NormalFromBits(static_cast<std::uint32_t>(i * 0x9E3779B9U),
                                          DefaultNumericsProfile()));
    }
    ASSERT_EQ(values[count], 1.0F) << "wrote past the end";
  }
}

}  // namespace
}  // namespace narrowgauge::internal
