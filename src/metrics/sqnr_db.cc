#include <cmath>
#include <numbers>

#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// Signal to quantisation noise. A zero signal is tested first, so that zeros kept as zeros are no
// success. The quotient is scale-free: multiplying r and v by a power of two leaves every bit.
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  if (statistics.reference_squares.value == 0) return HasNoValue("zero signal");
  if (statistics.sum_squares.value == 0) return HasNoValue("exact");
  const ScaledSum quotient = Quotient(statistics.reference_squares, statistics.sum_squares);
  // Float64 holds the quotients of all but the most extreme data, whose logarithm is split.
  if (std::abs(quotient.exponent) < 1000) return HasValue(10 * std::log10(ToFloat64(quotient)));
  return HasValue(10 * (std::log10(quotient.value) +
                        quotient.exponent * std::numbers::ln2 / std::numbers::ln10));
}

}  // namespace

const Metric kSqnrDb = {
    "sqnr_db",           "dB",
    BetterWhen::kHigher, "10 log10(sum r^2 / sum (v - r)^2); exact where no element errs",
    ErrorNeeds::kBasic,  Compute};

}  // namespace narrowgauge::internal
