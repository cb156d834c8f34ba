#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  return HasValue(statistics.max_abs);
}

}  // namespace

const Metric kMaxAbsErr = {"max_abs_err",      "",     BetterWhen::kLower, "max |v - r|",
                           ErrorNeeds::kBasic, Compute};

}  // namespace narrowgauge::internal
