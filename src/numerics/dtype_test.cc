#include "narrowgauge/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "src/numerics/format_words.h"

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
  EXPECT_THAT(parsed.error().message,
              HasSubstr("expected one of float64, float32, tf32, bfloat16, "));
  EXPECT_THAT(parsed.error().message, HasSubstr("(nearest: bfloat16): \"bfloat61\""));
}

TEST(DTypeTest, FileNamesAliasesAndUpperCaseAreUnderstood) {
  for (const auto& [word, dtype] :
       std::map<std::string_view, DType>{{"F8_E4M3", DType::kFloat8E4M3Fn},
                                         {"f8_e4m3", DType::kFloat8E4M3Fn},
                                         {"E4M3FN", DType::kFloat8E4M3Fn},
                                         {"fp8_e5m2", DType::kFloat8E5M2},
                                         {"BF16", DType::kBFloat16},
                                         {"Float32", DType::kFloat32},
                                         {"F8_E8M0", DType::kFloat8E8M0Fnu},
                                         {"F8_E4M3FNUZ", DType::kFloat8E4M3Fnuz},
                                         {"F4", DType::kFloat4E2M1Fn},
                                         {"float8_e4m3", DType::kFloat8E4M3},
                                         {"TF32", DType::kTf32},
                                         {"u8", DType::kUint8}}) {
    EXPECT_EQ(ParseDType(word).value(), dtype) << word;
  }
}

// Every word of every format is understood, or refused because another format has it too.
TEST(DTypeTest, EveryWordLeadsToItsFormat) {
  std::set<std::string> shared;
  for (const DType dtype : AllDTypes()) {
    for (const std::string_view word : internal::WordsOf(GetDTypeInfo(dtype)).others) {
      const auto parsed = ParseDType(word);
      if (parsed) {
        EXPECT_EQ(*parsed, dtype) << word;
      } else {
        shared.insert(std::string(word));
        EXPECT_THAT(parsed.error().message, HasSubstr(std::string(DTypeName(dtype)))) << word;
      }
    }
  }
  EXPECT_THAT(shared, testing::ElementsAre("e4m3", "fp8_e4m3"));
}

TEST(DTypeTest, AWordThatTwoFormatsShareIsRefusedWithBoth) {
  for (const std::string_view word : {"e4m3", "fp8_e4m3", "FP8_E4M3"}) {
    const auto parsed = ParseDType(word);
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().code, StatusCode::kInvalidArgument);
    EXPECT_THAT(parsed.error().message,
                HasSubstr("more than one dtype; expected float8_e4m3fn or float8_e4m3: \""));
  }
}

TEST(DTypeTest, TheNearestWordMayBeAnAliasInOtherCase) {
  EXPECT_THAT(ParseDType("BF61").error().message, HasSubstr("(nearest: bf16): \"BF61\""));
  EXPECT_FALSE(ParseDType("").has_value());
}

}  // namespace
}  // namespace narrowgauge
