#include "src/base/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace narrowgauge::internal {
namespace {

// The encoding by its definition, without regard to which code points are legal.
std::string Encode(std::uint32_t code_point) {
  const auto byte = [](std::uint32_t value) { return static_cast<char>(value); };
  if (code_point < 0x80) return {byte(code_point)};
  const char last = byte(0x80 | (code_point & 0x3F));
  if (code_point < 0x800) return {byte(0xC0 | (code_point >> 6)), last};
  const char third = byte(0x80 | ((code_point >> 6) & 0x3F));
  if (code_point < 0x10000) return {byte(0xE0 | (code_point >> 12)), third, last};
  const char second = byte(0x80 | ((code_point >> 12) & 0x3F));
  return {byte(0xF0 | (code_point >> 18)), second, third, last};
}

TEST(Utf8Test, AcceptsEveryCodePointButSurrogatesAndTheTooHigh) {
  for (std::uint32_t code_point = 0; code_point < 0x140000; ++code_point) {
    const bool legal = (code_point < 0xD800 || code_point > 0xDFFF) && code_point <= 0x10FFFF;
    const std::string text = Encode(code_point);
    ASSERT_EQ(IsUtf8(text), legal) << std::hex << code_point;
    ASSERT_TRUE(!legal || ReplaceInvalidUtf8(text) == text);
  }
}

TEST(Utf8Test, RefusesOverlongForms) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF",
                           "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
}

// Unicode 15, tables 3-8 to 3-11, with ? for U+FFFD.
TEST(Utf8Test, ReplacesMaximalIllFormedParts) {
  const auto replaced = [](std::string_view text) {
    std::string result = ReplaceInvalidUtf8(text);
    for (std::size_t at; (at = result.find("\xEF\xBF\xBD")) != std::string::npos;) {
      result.replace(at, 3, "?");
    }
    return result;
  };
  EXPECT_EQ(replaced("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), "????????A");
  EXPECT_EQ(replaced("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), "????????A");
  EXPECT_EQ(replaced("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), "?????A??B");
  EXPECT_EQ(replaced("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "????A");
  EXPECT_EQ(replaced("op\xff"), "op?");
  EXPECT_EQ(replaced("op\xE2\x82"), "op?");
  EXPECT_EQ(replaced(""), "");
}

}  // namespace
}  // namespace narrowgauge::internal
