#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "src/quantize/methods/methods.h"

namespace narrowgauge::internal {
namespace {

// The least element that `percentile` % of all do not exceed (nearest rank: no interpolation).
double NearestRank(std::vector<double>& elements, double percentile) {
  const auto count = static_cast<double>(elements.size());
  const auto rank = static_cast<std::size_t>(std::ceil(percentile / 100 * count));
  const auto at = elements.begin() + static_cast<std::ptrdiff_t>(
                                         std::clamp<std::size_t>(rank, 1, elements.size()) - 1);
  std::nth_element(elements.begin(), at, elements.end());
  return *at;
}

// Symmetric: up to the percentile of the magnitudes. With a zero point: that percentile of the
// elements from above and from below.
Range Find(const GroupRules& rules, std::span<const double> elements) {
  Range range;
  if (elements.empty()) return range;
  std::vector<double> sorted(elements.begin(), elements.end());
  if (rules.spec.zero_point == ZeroPoint::kNone) {
    for (double& element : sorted) element = std::abs(element);
    const double bound = NearestRank(sorted, rules.spec.percentile);
    range.Add(bound);
    range.Add(-bound);
    return range;
  }
  range.Add(NearestRank(sorted, rules.spec.percentile));
  for (double& element : sorted) element = -element;
  range.Add(-NearestRank(sorted, rules.spec.percentile));
  return range;
}

}  // namespace

const RangeMethodInfo kPercentileMethod = {RangeMethod::kPercentile, "percentile", false, Find};

}  // namespace narrowgauge::internal
