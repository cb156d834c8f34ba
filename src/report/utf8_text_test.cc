#include "src/report/utf8_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/utf8.h"

namespace narrowgauge::internal {
namespace {

TEST(Utf8TextTest, ValidTextIsKept) {
  for (const std::string text : {"", "plain", "\u00e9\u20ac\u2026", "\U0001F642", "\uD7FF\uE000",
                                 "\U0010FFFF", "a\nb\x7f"}) {
    EXPECT_EQ(ReplaceInvalidUtf8(text), text);
  }
  EXPECT_EQ(ReplaceInvalidUtf8(std::string(1, '\0')), std::string(1, '\0'));
}

TEST(Utf8TextTest, EachMaximalInvalidPartBecomesOneReplacement) {
  const std::string r = "\uFFFD";
  EXPECT_EQ(ReplaceInvalidUtf8("\x80"), r);                          // A tail alone.
  EXPECT_EQ(ReplaceInvalidUtf8("\xff\xfe"), r + r);                  // Never in UTF-8.
  EXPECT_EQ(ReplaceInvalidUtf8("\xc0\xaf"), r + r);                  // Overlong.
  EXPECT_EQ(ReplaceInvalidUtf8("\xe0\x9f\xbf"), r + r + r);          // Overlong.
  EXPECT_EQ(ReplaceInvalidUtf8("\xed\xa0\x80"), r + r + r);          // A surrogate.
  EXPECT_EQ(ReplaceInvalidUtf8("\xf0\x8f\xbf\xbf"), r + r + r + r);  // Overlong.
  EXPECT_EQ(ReplaceInvalidUtf8("\xf4\x90\x80\x80"), r + r + r + r);  // Above U+10FFFF.
  EXPECT_EQ(ReplaceInvalidUtf8("\xe2\x82"), r);                      // Cut short by the end,
  EXPECT_EQ(ReplaceInvalidUtf8("\xf0\x9f\x99x"), r + "x");           // or by another character.
  EXPECT_EQ(ReplaceInvalidUtf8("a\xe2\x82\xe2\x82\xacz"), "a" + r + "\u20ac" + "z");
}

TEST(Utf8TextTest, ControlCharactersBecomeVisible) {
  EXPECT_EQ(VisibleText("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(VisibleText("\x1b[31m\x7f"), "\\u001b[31m\\u007f");
  EXPECT_EQ(VisibleText("\u009b31m"), "\\u009b31m");
  EXPECT_EQ(VisibleText(std::string(1, '\0')), "\\u0000");
  EXPECT_EQ(VisibleText("\u00a0\u00e9\xff"), "\u00a0\u00e9\uFFFD");
}

TEST(Utf8TextTest, CountsCodePoints) {
  EXPECT_EQ(CountCodePoints(""), 0U);
  EXPECT_EQ(CountCodePoints("abc"), 3U);
  EXPECT_EQ(CountCodePoints("\u00e9\u20ac\U0001F642"), 3U);
}

TEST(WrapTextTest, LinesBreakAtBlanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(WrapText("", 5, "  "), Lines{""});
  EXPECT_EQ(WrapText("one two", 7, "  "), Lines{"one two"});
  EXPECT_EQ(WrapText("one two", 6, "  "), (Lines{"one", "  two"}));
  EXPECT_EQ(WrapText("a  b c d", 5, "> "), (Lines{"a  b", "> c d"}));
  EXPECT_EQ(WrapText("\u00b5\u00b5 \u00b5\u00b5", 5, ""), Lines{"\u00b5\u00b5 \u00b5\u00b5"});
}

TEST(WrapTextTest, LongWordsAndQuotedOnesStayWhole) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(WrapText("a remarkably b", 4, ""), (Lines{"a", "remarkably", "b"}));
  EXPECT_EQ(WrapText("type `cd /tmp  now` please", 10, " "),
            (Lines{"type", " `cd /tmp  now`", " please"}));
  EXPECT_EQ(WrapText("an open ` quote", 4, ""), (Lines{"an", "open", "` quote"}));
}

}  // namespace
}  // namespace narrowgauge::internal
