#include "src/report/number_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace narrowgauge::internal {
namespace {

double Read(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  EXPECT_EQ(error, std::errc()) << text;
  EXPECT_EQ(end, text.data() + text.size()) << text;
  return x;
}

// Returns the significant digits of a text, without zeros on either side.
std::string Digits(const std::string& text) {
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  digits.erase(0, digits.find_first_not_of('0'));
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits;
}

TEST(ShortestTextTest, LooksLikePython) {
  EXPECT_EQ(ShortestText(0.1), "0.1");
  EXPECT_EQ(ShortestText(100), "100.0");
  EXPECT_EQ(ShortestText(-0.0), "-0.0");
  EXPECT_EQ(ShortestText(1e15), "1000000000000000.0");
  EXPECT_EQ(ShortestText(1e16), "1e+16");
  EXPECT_EQ(ShortestText(1e-4), "0.0001");
  EXPECT_EQ(ShortestText(-1.5e-5), "-1.5e-05");
  EXPECT_EQ(ShortestText(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(ShortestTextTest, ReadsBackAndNoFewerDigitsWould) {
  std::mt19937_64 bits(1);
  for (int i = 0; i < 20'000; ++i) {
    const auto x = std::bit_cast<double>(bits());
    if (!std::isfinite(x)) continue;
    const std::string text = ShortestText(x);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(Read(text)), std::bit_cast<std::uint64_t>(x)) << text;
    // Correct rounding to one digit fewer is the best that such a text could do.
    const int digits = static_cast<int>(Digits(text).size());
    if (digits < 2) continue;
    char fewer[64];
    std::snprintf(fewer, sizeof fewer, "%.*e", digits - 2, x);
    ASSERT_NE(Read(fewer), x) << text;
  }
}

TEST(SignificantTextTest, ShortNumbersAreWrittenAsTheyAre) {
  EXPECT_EQ(SignificantText(41.24), "41.24");
  EXPECT_EQ(SignificantText(1.25e-07), "1.25e-07");
  EXPECT_EQ(SignificantText(3), "3");
  EXPECT_EQ(SignificantText(-100), "-100");
  EXPECT_EQ(SignificantText(0), "0");
  EXPECT_EQ(SignificantText(-0.0), "-0");
  EXPECT_EQ(SignificantText(0.0001), "0.0001");
}

TEST(SignificantTextTest, LongNumbersAreRoundedAndKeepTheirZeros) {
  EXPECT_EQ(SignificantText(0.037180003), "0.0371800");
  EXPECT_EQ(SignificantText(1.0 / 3), "0.333333");
  EXPECT_EQ(SignificantText(41.2400004), "41.2400");
  EXPECT_EQ(SignificantText(1.2500004e-07), "1.25000e-07");
  EXPECT_EQ(SignificantText(123456.7), "123457");
  EXPECT_EQ(SignificantText(999999.7), "1.00000e+06");
  EXPECT_EQ(SignificantText(0.99999999), "1.00000");
  EXPECT_EQ(SignificantText(1234567), "1.23457e+06");
}

TEST(SignificantTextTest, IsWithinHalfAUnitOfTheLastDigit) {
  std::mt19937_64 bits(2);
  for (int i = 0; i < 20'000; ++i) {
    const auto x = std::bit_cast<double>(bits());
    if (!std::isfinite(x) || std::abs(x) < 1e-300) continue;
    const std::string text = SignificantText(x);
    ASSERT_LE(Digits(text).size(), static_cast<std::size_t>(kSignificantDigits)) << text;
    // Half a unit of the sixth digit is at most 5e-6 of x; reading the text back adds 2^-53.
    ASSERT_LE(std::abs(Read(text) / x - 1), 5e-6 + 0x1p-51) << text;
  }
}

TEST(NumberTextDeathTest, TakesFiniteNumbersOnly) {
  EXPECT_DEATH(ShortestText(std::numeric_limits<double>::quiet_NaN()), "broken promise");
  EXPECT_DEATH(SignificantText(std::numeric_limits<double>::infinity()), "broken promise");
}

}  // namespace
}  // namespace narrowgauge::internal
