#include "src/report/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

// A number as "d.ddd" times ten to a power, and as the text std::to_chars makes of it.
struct Decimal {
  std::string scientific;  // "-1.25e-07", with two digits of exponent at least.
  bool negative = false;
  std::string digits;  // Without sign and point: "125".
  int exponent = 0;
};

Decimal Split(std::string_view scientific) {
  Decimal decimal;
  decimal.scientific = scientific;
  decimal.negative = scientific.front() == '-';
  const std::size_t e = scientific.find('e');
  for (const char c : scientific.substr(0, e)) {
    if (c >= '0' && c <= '9') decimal.digits += c;
  }
  std::string_view exponent = scientific.substr(e + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), decimal.exponent);
  return decimal;
}

template <typename... Precision>
Decimal ToDecimal(double x, Precision... precision) {
  NG_CHECK(std::isfinite(x));
  std::array<char, 32> text;  // Sign, 17 digits, point, "e-308".
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), x,
                                          std::chars_format::scientific, precision...);
  NG_CHECK(error == std::errc());
  return Split({text.data(), end});
}

// Writes without an exponent; an integer gets no point.
std::string Fixed(const Decimal& decimal) {
  std::string text = decimal.negative ? "-" : "";
  const std::string& digits = decimal.digits;
  if (decimal.exponent < 0) {
    return text + "0." + std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') + digits;
  }
  const auto integer_digits = static_cast<std::size_t>(decimal.exponent) + 1;
  if (digits.size() <= integer_digits) {
    return text + digits + std::string(integer_digits - digits.size(), '0');
  }
  return text + digits.substr(0, integer_digits) + "." + digits.substr(integer_digits);
}

bool IsBetween(int exponent, int low, int high) { return low <= exponent && exponent < high; }

}  // namespace

std::string ShortestText(double x) {
  const Decimal decimal = ToDecimal(x);
  if (!IsBetween(decimal.exponent, -4, 16)) return decimal.scientific;
  std::string text = Fixed(decimal);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string SignificantText(double x) {
  Decimal decimal = ToDecimal(x);
  if (decimal.digits.size() > kSignificantDigits) decimal = ToDecimal(x, kSignificantDigits - 1);
  return IsBetween(decimal.exponent, -4, kSignificantDigits) ? Fixed(decimal) : decimal.scientific;
}

}  // namespace narrowgauge::internal
