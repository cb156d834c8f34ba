#include "src/metrics/metric_value.h"
#include "src/metrics/registry.h"

namespace narrowgauge::internal {
namespace {

// The componentwise backward error of a product: Higham, Accuracy and Stability of Numerical
// Algorithms, section 3.5. Where |x| |w| is 0 so is r; an error there is counted
// (backward_over_zero), and 0/0 is skipped.
MetricValue Compute(const ErrorStatistics& statistics) {
  if (const auto why = WhyNoErrors(statistics); !why.empty()) return HasNoValue(why);
  if (!Includes(statistics.covered, ErrorNeeds::kBackward)) return HasNoValue("no product");
  if (statistics.backward_count == 0) return HasNoValue("zero operands");
  return HasValue(statistics.max_backward);
}

}  // namespace

const Metric kBackwardErr = {
    "backward_err",        "",
    BetterWhen::kLower,    "max |v - r| / (|x| |w|), |x| |w| the product of magnitudes",
    ErrorNeeds::kBackward, Compute};

}  // namespace narrowgauge::internal
