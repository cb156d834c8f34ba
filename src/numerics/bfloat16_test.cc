#include "src/numerics/bfloat16.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/numerics/codec.h"
#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

const DTypeInfo& Info() { return GetDTypeInfo(DType::kBFloat16); }

TEST(BFloat16Test, EveryCodeHasTheValueOfTheCodec) {
  for (std::uint32_t code = 0; code < (1U << 16); ++code) {
    const float value = FloatFromBFloat16(static_cast<std::uint16_t>(code));
    const float expected = DecodeFloat32(Info(), code);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_EQ(std::signbit(value), std::signbit(expected)) << code;
    } else {
      EXPECT_EQ(test::BitsOf(value), test::BitsOf(expected)) << code;
    }
    EXPECT_EQ(BFloat16FromFloat(value), EncodeFloat32(Info(), value)) << code;
  }
}

TEST(BFloat16Test, RoundsAsTheCodecAroundEveryTieAndCode) {
  for (std::uint32_t code = 0; code < (1U << 16); ++code) {
    for (const std::uint32_t low : {0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
      const auto value = std::bit_cast<float>(code << 16 | low);
      EXPECT_EQ(BFloat16FromFloat(value), EncodeFloat32(Info(), value)) << value;
    }
  }
}

TEST(BFloat16Test, RoundsAsTheCodecForFloatsOfAllMagnitudes) {
  for (std::uint32_t i = 0; i < (1U << 24); ++i) {
    const auto value = std::bit_cast<float>(i * 0x85EBCA6BU);
    ASSERT_EQ(BFloat16FromFloat(value), EncodeFloat32(Info(), value)) << value;
  }
}

TEST(BFloat16Test, InfinityBeginsHalfAStepBeyondTheLargest) {
  EXPECT_EQ(BFloat16FromFloat(0x1.fefffep127f), 0x7F7F);
  EXPECT_EQ(BFloat16FromFloat(0x1.ffp127f), 0x7F80);
}

}  // namespace
}  // namespace narrowgauge::internal
