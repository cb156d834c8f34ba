#ifndef NARROWGAUGE_METRICS_METRIC_VALUE_H_
#define NARROWGAUGE_METRICS_METRIC_VALUE_H_

#include <optional>
#include <string_view>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

[[nodiscard]] inline MetricValue HasValue(double value) { return {value, {}}; }

[[nodiscard]] inline MetricValue HasNoValue(std::string_view reason) {
  return {std::nullopt, reason};
}

// Returns why no error metric exists for these statistics, or "" if that depends on the metric. A
// result that is not finite comes first: where every result is one, no element is left.
[[nodiscard]] inline std::string_view WhyNoErrors(const ErrorStatistics& statistics) {
  if (statistics.nonfinite_results > 0) return "nonfinite result";
  if (statistics.count == 0) return "no elements";
  return {};
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_METRIC_VALUE_H_
