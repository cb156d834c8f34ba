#include "narrowgauge/block_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "src/numerics/format_words.h"

namespace narrowgauge {
namespace {

using testing::HasSubstr;

TEST(BlockFormatTest, EveryDescriptorAddsUp) {
  for (const BlockFormat format : AllBlockFormats()) {
    const BlockFormatInfo& info = GetBlockFormatInfo(format);
    SCOPED_TRACE(info.name);
    EXPECT_FALSE(info.source.empty());
    EXPECT_GT(info.block_size, 0);
    EXPECT_EQ(info.block_size * info.element_bits % 8, 0) << "blocks are whole bytes";
    if (info.element) {
      EXPECT_EQ(info.element_bits, StorageBits(GetDTypeInfo(*info.element)));
    }
    EXPECT_THAT(info.scales_per_block, testing::AnyOf(1, 2));
    EXPECT_EQ(GetDTypeInfo(info.scale_dtype).kind, DTypeKind::kFloat);
  }
}

TEST(BlockFormatTest, EveryNumberFormatIsFoundByItsName) {
  std::set<std::string_view> names;
  for (const DType dtype : AllDTypes()) {
    EXPECT_EQ(ParseNumberFormat(DTypeName(dtype)).value(), NumberFormat(dtype));
    names.insert(DTypeName(dtype));
  }
  for (const BlockFormat format : AllBlockFormats()) {
    const std::string_view name = NumberFormatName(format);
    EXPECT_EQ(ParseNumberFormat(name).value(), NumberFormat(format));
    EXPECT_TRUE(names.insert(name).second) << name;
  }
}

// Every word of every format is understood, or refused because another format has it too.
TEST(BlockFormatTest, EveryWordLeadsToItsFormat) {
  std::set<std::string> shared;
  const auto look_up = [&shared](const internal::FormatWords& words, NumberFormat format) {
    for (const std::string_view word : words.others) {
      const auto parsed = ParseNumberFormat(word);
      if (parsed) {
        EXPECT_EQ(*parsed, format) << word;
      } else {
        shared.insert(std::string(word));
        EXPECT_THAT(parsed.error().message, HasSubstr(std::string(words.name)));
      }
    }
  };
  for (const DType dtype : AllDTypes()) look_up(internal::WordsOf(GetDTypeInfo(dtype)), dtype);
  for (const BlockFormat format : AllBlockFormats()) {
    look_up(internal::WordsOf(GetBlockFormatInfo(format)), format);
  }
  EXPECT_THAT(shared, testing::ElementsAre("e4m3", "fp8_e4m3", "mxfp6", "mxfp8"));
}

TEST(BlockFormatTest, AWordThatTwoFormatsShareIsRefusedWithBoth) {
  EXPECT_THAT(ParseNumberFormat("mxfp8").error().message,
              HasSubstr("more than one format; expected mxfp8_e4m3 or mxfp8_e5m2: \"mxfp8\""));
  EXPECT_THAT(ParseNumberFormat("MXFP6").error().message,
              HasSubstr("expected mxfp6_e2m3 or mxfp6_e3m2: \"MXFP6\""));
}

TEST(BlockFormatTest, AnUnknownWordIsRefusedWithTheListAndTheNearest) {
  const auto parsed = ParseNumberFormat("nvfp5");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().message, HasSubstr("unknown format; expected one of float64, "));
  EXPECT_THAT(parsed.error().message, HasSubstr(", mxfp8_e4m3, "));
  EXPECT_THAT(parsed.error().message, HasSubstr("(nearest: nvfp4): \"nvfp5\""));
}

}  // namespace
}  // namespace narrowgauge
