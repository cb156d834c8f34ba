#include "src/numerics/widen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

class WidenTest : public testing::TestWithParam<DType> {};

INSTANTIATE_TEST_SUITE_P(EveryFormat, WidenTest, testing::ValuesIn(AllDTypes()),
                         [](const auto& param) { return std::string(DTypeName(param.param)); });

// All codes of 8 and 16 bits, each a spread of wider ones, from an odd address.
TEST_P(WidenTest, GivesTheValueOfEveryCode) {
  const DTypeInfo& info = GetDTypeInfo(GetParam());
  const auto bytes = static_cast<std::size_t>(info.total_bits / 8);
  std::vector<std::uint64_t> codes;
  if (info.total_bits <= 16) {
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << info.total_bits); ++code) {
      codes.push_back(code);
    }
  } else {
    for (std::uint64_t i = 0; i < 65536; ++i) codes.push_back((i * 0x9E3779B97F4A7C15U) >> 32);
  }
  std::vector<std::byte> stored(1 + codes.size() * bytes);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    std::memcpy(&stored[1 + i * bytes], &codes[i], bytes);  // Little-endian, like the files.
  }
  std::vector<float> values(codes.size());
  WidenToFloat32(GetParam(), stored.data() + 1, static_cast<std::int64_t>(codes.size()),
                 values.data());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const float want = DecodeFloat32(info, codes[i]);
    ASSERT_TRUE(std::bit_cast<std::uint32_t>(values[i]) == std::bit_cast<std::uint32_t>(want) ||
                (values[i] != values[i] && want != want))
        << std::hex << codes[i];
  }
}

TEST(WidenTest, NothingIsReadOfNoCodes) { WidenToFloat32(DType::kFloat32, nullptr, 0, nullptr); }

}  // namespace
}  // namespace narrowgauge::internal
