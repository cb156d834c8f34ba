#include "src/metrics/registry.h"

#include <cstddef>

namespace narrowgauge {
namespace {

constexpr std::size_t kDefaultCount = 4;

}  // namespace

std::span<const Metric> AllMetrics() {
  static const Metric metrics[] = {
      internal::kMaxAbsErr, internal::kMeanAbsErr, internal::kSqnrDb, internal::kRelFrobenius,
      internal::kMaxRelErr, internal::kCosine,     internal::kUlpErr, internal::kBackwardErr,
  };
  return metrics;
}

std::vector<const Metric*> DefaultMetrics() {
  std::vector<const Metric*> metrics;
  for (const Metric& metric : AllMetrics().first(kDefaultCount)) metrics.push_back(&metric);
  return metrics;
}

ErrorNeeds NeedsOf(std::span<const Metric* const> metrics) {
  ErrorNeeds needs = ErrorNeeds::kBasic;
  for (const Metric* metric : metrics) needs = needs | metric->needs;
  return needs;
}

}  // namespace narrowgauge
