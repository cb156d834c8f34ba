#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// In units in the last place of ErrorOptions::ulp_of. r = 0 is no exception: its ulp is the
// smallest subnormal. A rounding to nearest that neither overflows nor meets a binade's end errs by
// 1/2 at most.
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics, ErrorNeeds::kUlp); !why.empty())
    return HasNoValue(why);
  return HasValue(statistics.max_ulp);
}

}  // namespace

const Metric kUlpErr = {"ulp_err",          "ulp",
                        BetterWhen::kLower, "max |v - r| / ulp(r), ulp of the output type at r",
                        ErrorNeeds::kUlp,   Compute};

}  // namespace narrowgauge::internal
