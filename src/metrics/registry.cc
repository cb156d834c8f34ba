#include "src/metrics/registry.h"

namespace narrowgauge {

std::span<const Metric> AllMetrics() {
  static const Metric metrics[] = {
      internal::kMaxAbsErr,
      internal::kMeanAbsErr,
      internal::kSqnrDb,
      internal::kRelFrobenius,
  };
  return metrics;
}

}  // namespace narrowgauge
