#include <algorithm>

#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// Scale-free in r and in v. It is 1 where v = r, since sqrt(s * s) rounds to s; rounding can lift
// other quotients above 1, which no cosine is, so it is held to [-1, 1].
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics, ErrorNeeds::kCosine); !why.empty())
    return HasNoValue(why);
  if (statistics.reference_squares.value == 0) return HasNoValue("zero signal");
  if (statistics.value_squares.value == 0) return HasNoValue("zero result");
  const ScaledSum r = Normalized(statistics.reference_squares);
  const ScaledSum v = Normalized(statistics.value_squares);
  const ScaledSum norms = SquareRoot({r.value * v.value, r.exponent + v.exponent});
  const double cosine = ToFloat64(Quotient(statistics.products, norms));
  return HasValue(std::clamp(cosine, -1.0, 1.0));
}

}  // namespace

const Metric kCosine = {
    "cosine", "", BetterWhen::kHigher, "sum r v / sqrt(sum r^2 * sum v^2)", ErrorNeeds::kCosine,
    Compute};

}  // namespace narrowgauge::internal
