#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

const DTypeInfo& kFloat8E5M2 = GetDTypeInfo(DType::kFloat8E5M2);
const DTypeInfo& kFloat8E4M3Fn = GetDTypeInfo(DType::kFloat8E4M3Fn);
const DTypeInfo& kFloat8E4M3Fnuz = GetDTypeInfo(DType::kFloat8E4M3Fnuz);
const DTypeInfo& kFloat4E2M1Fn = GetDTypeInfo(DType::kFloat4E2M1Fn);
const DTypeInfo& kFloat8E8M0Fnu = GetDTypeInfo(DType::kFloat8E8M0Fnu);
const DTypeInfo& kUint2 = GetDTypeInfo(DType::kUint2);
const DTypeInfo& kFloat64 = GetDTypeInfo(DType::kFloat64);
const DTypeInfo& kTf32 = GetDTypeInfo(DType::kTf32);

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CodecDescriptorsTest, OverflowWithoutInfinityIsNanOrTheLargest) {
  EXPECT_EQ(Encode(kFloat8E4M3Fn, 464.0), 0x7EU);
  EXPECT_EQ(Encode(kFloat8E4M3Fn, std::nextafter(464.0, 500.0)), 0x7FU);
  EXPECT_EQ(Encode(kFloat8E4M3Fn, -kInfinity), 0xFFU);
  EXPECT_EQ(Encode(kFloat8E4M3Fn, 470.0, RoundingMode::kTowardZero), 0x7EU);
  EXPECT_EQ(Encode(kFloat8E4M3Fnuz, 1e6), 0x80U);
  EXPECT_EQ(Encode(kFloat4E2M1Fn, -1e6), 0xFU);
  for (const DTypeInfo& info :
       {kFloat8E5M2, kFloat8E4M3Fn, kFloat8E4M3Fnuz, kFloat4E2M1Fn, kFloat8E8M0Fnu}) {
    EXPECT_EQ(Encode(info, kInfinity, RoundingMode::kNearestEven, OverflowMode::kSaturate),
              LargestFiniteCode(info))
        << info.name;
  }
}

TEST(CodecDescriptorsTest, NegativeZeroIsZeroWhereItsCodeIsNan) {
  EXPECT_EQ(Encode(kFloat8E4M3Fnuz, -0.0), 0U);
  EXPECT_EQ(Encode(kFloat8E4M3Fnuz, -1e-30), 0U);
  EXPECT_EQ(Encode(kFloat4E2M1Fn, -0.0), 0x8U);
}

TEST(CodecDescriptorsTest, PowersOfTwoHaveNeitherZeroNorSign) {
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 0.0), 0xFFU);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, -0.0), 0xFFU);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, -1.0), 0xFFU);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 1.0), 127U);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 1.5), 128U);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 1.5, RoundingMode::kTowardZero), 127U);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 0x1p-127), 0U);
  EXPECT_EQ(Encode(kFloat8E8M0Fnu, 0x1.8p-127), 1U);
  for (const RoundingMode rounding : {RoundingMode::kNearestEven, RoundingMode::kTowardZero}) {
    EXPECT_EQ(Encode(kFloat8E8M0Fnu, 0x1p-200, rounding), 0U);
  }
}

TEST(CodecDescriptorsTest, IntegersWithoutSignSaturateAtZero) {
  EXPECT_EQ(Encode(kUint2, -0.5), 0U);
  EXPECT_EQ(Encode(kUint2, -kInfinity), 0U);
  EXPECT_EQ(Encode(kUint2, 2.5), 2U);
  EXPECT_EQ(Encode(kUint2, 2.5, RoundingMode::kNearestAway), 3U);
  EXPECT_EQ(Encode(kUint2, kInfinity), 3U);
}

TEST(CodecDescriptorsTest, Float64IsItself) {
  std::mt19937_64 random(2);
  for (int i = 0; i < (1 << 16); ++i) {
    const std::uint64_t bits = i < 64 ? std::uint64_t{1} << i : random();
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) continue;
    EXPECT_EQ(Encode(kFloat64, value), bits);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(Decode(kFloat64, bits)), bits);
  }
}

TEST(CodecDescriptorsTest, Tf32IsFloat32RoundedTo10MantissaBits) {
  for (std::uint32_t i = 0; i < (1U << 20); ++i) {
    const std::uint32_t bits = i * 0x9E3779B1;
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(EncodeFloat32(kTf32, value), (bits + 0xFFF + (bits >> 13 & 1)) >> 13) << bits;
  }
}

}  // namespace
}  // namespace narrowgauge::internal
