#include "src/numerics/widen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

class WidenTest : public testing::TestWithParam<DType> {};

INSTANTIATE_TEST_SUITE_P(EveryFormat, WidenTest, testing::ValuesIn(AllDTypes()),
                         [](const auto& param) { return std::string(DTypeName(param.param)); });

// Packs codes of `bits` bits one after another, a bit at a time, lowest first.
std::vector<std::byte> Pack(const std::vector<std::uint64_t>& codes, std::size_t bits) {
  std::vector<std::byte> packed((codes.size() * bits + 7) / 8);
  for (std::size_t i = 0; i < codes.size() * bits; ++i) {
    const auto bit = static_cast<unsigned>(codes[i / bits] >> (i % bits) & 1);
    packed[i / 8] |= std::byte{static_cast<unsigned char>(bit << (i % 8))};
  }
  return packed;
}

// What is stored for a code: shorter formats are in the upper bits of 32, with junk below.
std::uint64_t StoredCode(const DTypeInfo& info, std::uint64_t code) {
  const int unused = StorageBits(info) - info.total_bits;
  return code << unused | ((std::uint64_t{0x5A5A5} & ((std::uint64_t{1} << unused) - 1)));
}

// All codes of up to 16 bits, each a spread of wider ones, from an odd address.
TEST_P(WidenTest, GivesTheValueOfEveryCode) {
  const DTypeInfo& info = GetDTypeInfo(GetParam());
  std::vector<std::uint64_t> codes;
  std::vector<std::uint64_t> stored_codes;
  const std::uint64_t count = std::uint64_t{1} << std::min(info.total_bits, 16);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t code =
        info.total_bits <= 16 ? i : (i * 0x9E3779B97F4A7C15U) >> (64 - info.total_bits);
    codes.push_back(code);
    stored_codes.push_back(StoredCode(info, code));
  }
  std::vector<std::byte> stored = Pack(stored_codes, static_cast<std::size_t>(StorageBits(info)));
  stored.insert(stored.begin(), std::byte{0xA5});
  for (const std::size_t first : {0U, 1U, 2U, 3U}) {
    std::vector<float> values(codes.size() - first);
    WidenToFloat32(GetParam(), stored.data() + 1, static_cast<std::int64_t>(first),
                   static_cast<std::int64_t>(values.size()), values.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float want = DecodeFloat32(info, codes[first + i]);
      ASSERT_TRUE(std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(want) ||
                  (values[i] != values[i] && want != want))
          << std::hex << codes[first + i];
    }
  }
}

// Returns the values of `count` elements of a packed text.
std::vector<float> Widened(DType dtype, std::string_view bytes, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  WidenToFloat32(dtype, reinterpret_cast<const std::byte*>(bytes.data()), count, values.data());
  return values;
}

TEST(WidenToFloat32Test, TheFirstOfTwoFourBitElementsIsInTheLowHalf) {
  EXPECT_THAT(Widened(DType::kFloat4E2M1Fn, "\x21\x7F", 4),
              testing::ElementsAre(0.5F, 1.0F, -6.0F, 6.0F));
  EXPECT_THAT(Widened(DType::kInt4, "\x8F", 2), testing::ElementsAre(-1.0F, -8.0F));
}

TEST(WidenToFloat32Test, FourSixBitElementsFillThreeBytesFromTheLowestBitOn) {
  // 0x01 | 0x02 << 6 | 0x03 << 12 | 0x1F << 18, little-endian.
  EXPECT_THAT(Widened(DType::kFloat6E3M2Fn, std::string_view("\x81\x30\x7C", 3), 4),
              testing::ElementsAre(0.0625F, 0.125F, 0.1875F, 28.0F));
}

TEST(WidenToFloat32Test, Float64IsRoundedOnce) {
  const double tie = 1.0 + 0x1p-24;  // Between 1 and the next float32.
  for (const auto& [value, expected] :
       {std::pair{tie, 1.0F}, std::pair{tie + 0x1p-52, 1.0F + 0x1p-23F}, std::pair{1e300, INFINITY},
        std::pair{0x1.8p-150, 0x1p-149F}, std::pair{-0.0, -0.0F}}) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(Widened(DType::kFloat64, bytes, 1)[0]),
              std::bit_cast<std::uint32_t>(expected));
  }
}

TEST(WidenToFloat32Test, NothingIsReadOfNoCodes) {
  for (const DType dtype : AllDTypes()) WidenToFloat32(dtype, nullptr, 0, nullptr);
}

}  // namespace
}  // namespace narrowgauge::internal
