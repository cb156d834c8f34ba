#ifndef NARROWGAUGE_METRICS_METRIC_VALUE_H_
#define NARROWGAUGE_METRICS_METRIC_VALUE_H_

#include <cmath>
#include <optional>
#include <string_view>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

[[nodiscard]] inline MetricValue HasNoValue(std::string_view reason) {
  return {std::nullopt, reason};
}

[[nodiscard]] inline MetricValue HasValue(double value) {
  if (std::isinf(value)) return HasNoValue("beyond float64");
  return {value, {}};
}

// Returns why no error metric with these needs exists, or "" if that depends on the metric. A
// result that is not finite comes first: where every result is one, no element is left.
[[nodiscard]] inline std::string_view WhyNoErrors(const ErrorStatistics& statistics,
                                                  ErrorNeeds needs = ErrorNeeds::kBasic) {
  if (statistics.nonfinite_results > 0) return "nonfinite result";
  if (statistics.count == 0) return "no elements";
  if (!Includes(statistics.covered, needs)) return "not asked for";
  return {};
}

// Returns a sum as mantissa * 2^exponent with 0.5 <= |mantissa| < 1, or zeros.
[[nodiscard]] inline ScaledSum Normalized(const ScaledSum& sum) {
  int exponent = 0;
  const double mantissa = std::frexp(sum.value, &exponent);
  return {mantissa, mantissa == 0 ? 0 : exponent + sum.exponent};
}

// Returns a / b, rounded once; b is not zero. Scaling both by a power of two leaves every bit.
[[nodiscard]] inline ScaledSum Quotient(const ScaledSum& a, const ScaledSum& b) {
  const ScaledSum x = Normalized(a);
  const ScaledSum y = Normalized(b);
  return {x.value / y.value, x.exponent - y.exponent};
}

// Returns the square root, rounded once, of a sum that is not negative.
[[nodiscard]] inline ScaledSum SquareRoot(const ScaledSum& x) {
  const int odd = x.exponent % 2 == 0 ? 0 : 1;
  return {std::sqrt(std::ldexp(x.value, odd)), (x.exponent - odd) / 2};
}

// Returns the float64 nearest to a sum: +-inf beyond it.
[[nodiscard]] inline double ToFloat64(const ScaledSum& sum) {
  return std::ldexp(sum.value, sum.exponent);
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_METRIC_VALUE_H_
