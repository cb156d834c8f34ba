#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/numerics/codec.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

// The reference codec against the recorded answers of ml_dtypes and XLA. Where those deviate from a
// format's definition, the deviation is named and expected to the bit.

namespace narrowgauge::internal {
namespace {

constexpr std::uint32_t kXlaLacksTheType = 0xFFFFFFFF;

// Formats with recorded conversions; `make_golden.py` says which rounding they had.
struct Recorded {
  DType dtype;
  RoundingMode rounding = RoundingMode::kNearestEven;
};

std::vector<Recorded> RecordedFormats() {
  const auto decoded = test::ReadJson("golden/decode.json").at("ml_dtypes");
  std::vector<Recorded> recorded{{DType::kBFloat16}};
  for (const DType dtype : AllDTypes()) {
    if (!decoded.contains(std::string(DTypeName(dtype)))) continue;
    const bool integer = GetDTypeInfo(dtype).kind == DTypeKind::kInteger;
    // astype of an integer truncates.
    recorded.push_back({dtype, integer ? RoundingMode::kTowardZero : RoundingMode::kNearestEven});
  }
  return recorded;
}

// Returns what XLA makes of a value for which the definition says `code`.
std::uint64_t CodeByXla(const DTypeInfo& info, float value, std::uint64_t code) {
  // E8M0: between 2^-127 and the middle of it and 2^-126, whose float32 are subnormal, both XLA and
  // ml_dtypes take the upper neighbour: they round the mantissa field of a float32 that has no
  // hidden bit as if it had one.
  if (!info.has_zero && 0x1p-127F < value && value < 0x1.8p-127F) return code + 1;
  return code;
}

// Returns what ml_dtypes on x86 makes of a value for which the definition says `code`.
std::uint64_t CodeByMlDtypes(const DTypeInfo& info, float value, std::uint64_t code) {
  if (info.kind == DTypeKind::kInteger && info.total_bits < 8) {
    // Through a C int, whose low bits it keeps; what does not fit an int is INT_MIN on x86.
    if (!(std::fabs(value) < 0x1p31F)) return 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) &
           ((std::uint64_t{1} << info.total_bits) - 1);
  }
  // Without NaN: +NaN becomes -0, and -NaN becomes +0.
  if (info.special_values == SpecialValues::kNone && std::isnan(value) && std::signbit(value)) {
    return 0;
  }
  return CodeByXla(info, value, code);
}

class CodecGoldenTest : public testing::TestWithParam<Recorded> {
 protected:
  const DTypeInfo& info_ = GetDTypeInfo(GetParam().dtype);
  std::string name_{info_.name};
};

TEST_P(CodecGoldenTest, EncodesAsMlDtypesAndXla) {
  const auto rows = test::ReadNpy<std::uint32_t>("golden/conv_" + name_ + ".npy");
  ASSERT_GE(rows.size(), 3U * 4000);
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    const auto value = std::bit_cast<float>(rows[i]);
    const std::uint64_t code = EncodeFloat32(info_, value, GetParam().rounding);
    EXPECT_EQ(CodeByMlDtypes(info_, value, code), rows[i + 1]) << value;
    if (rows[i + 2] == kXlaLacksTheType) continue;
    EXPECT_EQ(CodeByXla(info_, value, code), rows[i + 2]) << value;
  }
}

TEST_P(CodecGoldenTest, DecodesAsMlDtypesAndXla) {
  if (GetParam().dtype == DType::kBFloat16) return;  // Its codes are halves of float32.
  const auto golden = test::ReadJson("golden/decode.json");
  for (const char* const by : {"ml_dtypes", "xla"}) {
    const auto& values = golden.at(by).at(name_);
    if (values.is_null()) continue;  // XLA lacks the type.
    ASSERT_EQ(values.size(), std::size_t{1} << info_.total_bits);
    for (std::size_t code = 0; code < values.size(); ++code) {
      const auto theirs = static_cast<std::uint32_t>(test::ParseHex(values[code]));
      const float ours = DecodeFloat32(info_, code);
      // The NaN of fnuz has the code of -0; ml_dtypes and we call it negative, XLA does not.
      const bool unsigned_nan = std::isnan(ours) && std::string_view(by) == "xla" &&
                                info_.special_values == SpecialValues::kNanNegativeZero;
      EXPECT_EQ(test::BitsOf(unsigned_nan ? std::fabs(ours) : ours), theirs) << by << " " << code;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, CodecGoldenTest, testing::ValuesIn(RecordedFormats()),
                         [](const auto& param) {
                           return std::string(DTypeName(param.param.dtype));
                         });

TEST(CodecInt8GoldenTest, TruncatesAsAstypeAndRoundsAsClippedRound) {
  const auto rows = test::ReadNpy<std::uint32_t>("golden/conv_int8.npy");
  const DTypeInfo& info = GetDTypeInfo(DType::kInt8);
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    const auto value = std::bit_cast<float>(rows[i]);
    EXPECT_EQ(EncodeFloat32(info, value, RoundingMode::kTowardZero), rows[i + 1]) << value;
    // Not std::clamp, which would need NaN to compare.
    const float clipped = std::fmin(std::fmax(value, -127.0f), 127.0f);
    EXPECT_EQ(EncodeFloat32(info, std::isnan(value) ? value : clipped), rows[i + 2]) << value;
  }
}

}  // namespace
}  // namespace narrowgauge::internal
