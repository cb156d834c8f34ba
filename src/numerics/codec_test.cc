#include "src/numerics/codec.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

// Calls visit(bits) for 2^24 bit patterns of float32, spread evenly over all 2^32.
template <typename Visit>
void ForSpreadFloat32Bits(Visit visit) {
  constexpr std::uint32_t kStride = 0x9E3779B1;  // Odd, so that no pattern comes twice.
  for (std::uint32_t i = 0; i < (1U << 24); ++i) visit(i * kStride);
}

TEST(CodecTest, BFloat16IsTheUpperHalfRoundedByAdding) {
  const DTypeInfo& info = GetDTypeInfo(DType::kBFloat16);
  ForSpreadFloat32Bits([&](std::uint32_t bits) {
    const bool nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    const std::uint32_t expected =
        nan ? (bits >> 16 & 0x8000) | 0x7FC0 : (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    ASSERT_EQ(EncodeFloat32(info, std::bit_cast<float>(bits)), expected) << bits;
  });
}

TEST(CodecTest, Float16IsTheCompilersOwn) {
#if defined(__FLT16_MAX__) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  __extension__ using Float16 = _Float16;
  const DTypeInfo& info = GetDTypeInfo(DType::kFloat16);
  ForSpreadFloat32Bits([&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return;  // The compiler keeps payloads.
    const auto expected = std::bit_cast<std::uint16_t>(static_cast<Float16>(value));
    ASSERT_EQ(EncodeFloat32(info, value), expected) << bits;
  });
  for (std::uint32_t code = 0; code < (1U << 16); ++code) {
    const auto expected =
        static_cast<float>(std::bit_cast<Float16>(static_cast<std::uint16_t>(code)));
    if (std::isnan(expected)) continue;
    EXPECT_EQ(test::BitsOf(DecodeFloat32(info, code)), test::BitsOf(expected)) << code;
  }
#else
  GTEST_SKIP() << "this compiler has no _Float16";
#endif
}

TEST(CodecTest, Float32KeepsItsBitsAndRoundsFloat64AsTheHardwareDoes) {
  const DTypeInfo& info = GetDTypeInfo(DType::kFloat32);
  ForSpreadFloat32Bits([&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return;
    ASSERT_EQ(EncodeFloat32(info, value), bits);
    ASSERT_EQ(test::BitsOf(DecodeFloat32(info, bits)), bits);
  });
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::uint64_t> exponents(1023 - 160, 1023 + 130);
  for (int i = 0; i < (1 << 20); ++i) {
    const std::uint64_t mantissa = random() >> 12 & (i % 2 == 0 ? ~0ULL : ~0ULL << 28);
    const auto value = std::bit_cast<double>(random() << 63 | exponents(random) << 52 | mantissa);
    ASSERT_EQ(Encode(info, value), test::BitsOf(static_cast<float>(value))) << value;
  }
}

TEST(CodecTest, ABFloat16TieSeenOnlyInFloat64IsRoundedOnce) {
  // Just above a tie of bfloat16, and by so little that float32 would round it to the tie.
  const double value = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(Encode(GetDTypeInfo(DType::kBFloat16), value), 0x3F81U);
  EXPECT_EQ(EncodeFloat32(GetDTypeInfo(DType::kBFloat16), static_cast<float>(value)), 0x3F80U);
}

TEST(CodecTest, BitsAboveTheFormatDoNotCount) {
  EXPECT_EQ(Decode(GetDTypeInfo(DType::kInt8), 0xABCDEF80), -128.0);
  EXPECT_EQ(Decode(GetDTypeInfo(DType::kFloat16), 0xABCD3C00), 1.0);
}

}  // namespace
}  // namespace narrowgauge::internal
