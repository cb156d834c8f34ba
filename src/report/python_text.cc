#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "narrowgauge/report.h"
#include "src/base/check.h"
#include "src/report/number_text.h"

namespace narrowgauge {

std::string PythonRepr(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return internal::ShortestText(x);
}

double PythonRound(double x, int digits) {
  NG_CHECK(digits >= 0 && digits <= 22);
  if (!std::isfinite(x)) return x;
  std::array<char, 400> text;  // Sign, 309 digits, point and 22 more at most.
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), x, std::chars_format::fixed, digits);
  NG_CHECK(error == std::errc());
  double rounded = 0;
  std::from_chars(text.data(), end, rounded);
  return rounded;
}

}  // namespace narrowgauge
