#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  const ScaledSum& sum = statistics.sum_abs;
  return HasValue(ToFloat64({sum.value / static_cast<double>(statistics.count), sum.exponent}));
}

}  // namespace

const Metric kMeanAbsErr = {"mean_abs_err",     "",     BetterWhen::kLower, "sum |v - r| / n",
                            ErrorNeeds::kBasic, Compute};

}  // namespace narrowgauge::internal
