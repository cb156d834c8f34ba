#include "narrowgauge/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace narrowgauge {
namespace {

using testing::HasSubstr;

TEST(DTypeTest, EveryFormatIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const DType dtype : AllDTypes()) {
    EXPECT_TRUE(names.insert(DTypeName(dtype)).second) << DTypeName(dtype);
    EXPECT_EQ(ParseDType(DTypeName(dtype)).value(), dtype);
  }
}

TEST(DTypeTest, EveryDescriptorAddsUp) {
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    SCOPED_TRACE(info.name);
    EXPECT_FALSE(info.source.empty());
    EXPECT_GT(info.total_bits, 0);
    if (info.kind == DTypeKind::kInteger) {
      EXPECT_EQ(info.exponent_bits, 0);
      EXPECT_EQ(info.mantissa_bits, 0);
      EXPECT_EQ(info.canonical_nan, 0U);
      EXPECT_LE(info.total_bits, 52);
    } else {
      EXPECT_EQ(info.total_bits,
                (info.is_signed ? 1 : 0) + info.exponent_bits + info.mantissa_bits);
      EXPECT_LE(info.mantissa_bits, 52);
      EXPECT_LE(info.exponent_bias, 1023);
    }
  }
}

TEST(DTypeTest, AnUnknownNameIsRefusedWithTheListAndTheNearest) {
  const auto parsed = ParseDType("bfloat61");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().message, HasSubstr("expected one of float64, float32, tf32, bfloat16, "));
  EXPECT_THAT(parsed.error().message, HasSubstr("(nearest: bfloat16): \"bfloat61\""));
}

TEST(DTypeTest, FileNamesAndCaseVariantsAreNotNames) {
  EXPECT_FALSE(ParseDType("BF16").has_value());
  EXPECT_FALSE(ParseDType("Float32").has_value());
  EXPECT_FALSE(ParseDType("").has_value());
}

}  // namespace
}  // namespace narrowgauge
