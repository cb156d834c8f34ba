#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// Scale-free, as sqnr_db is.
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  if (statistics.reference_squares.value == 0) return HasNoValue("zero signal");
  return HasValue(
      ToFloat64(SquareRoot(Quotient(statistics.sum_squares, statistics.reference_squares))));
}

}  // namespace

const Metric kRelFrobenius = {"rel_frobenius",    "",
                              BetterWhen::kLower, "sqrt(sum (v - r)^2 / sum r^2)",
                              ErrorNeeds::kBasic, Compute};

}  // namespace narrowgauge::internal
