#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// Each quotient is rounded to float64. Errors where r = 0 have no relative size: see max_abs_err.
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics, ErrorNeeds::kRelative); !why.empty())
    return HasNoValue(why);
  if (statistics.reference_squares.value == 0) return HasNoValue("zero signal");
  return HasValue(statistics.max_relative);
}

}  // namespace

const Metric kMaxRelErr = {"max_rel_err",         "",
                           BetterWhen::kLower,    "max |v - r| / |r| over r != 0",
                           ErrorNeeds::kRelative, Compute};

}  // namespace narrowgauge::internal
