#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  return HasValue(statistics.sum_abs / static_cast<double>(statistics.count));
}

}  // namespace

const Metric kMeanAbsErr = {"mean_abs_err", "", BetterWhen::kLower, "sum |v - r| / n", Compute};

}  // namespace narrowgauge::internal
