#include "src/quantize/methods/methods.h"

namespace narrowgauge::internal {
namespace {

// From the least to the greatest element.
Range Find(const GroupRules&, std::span<const double> elements) {
  Range range;
  for (const double element : elements) range.Add(element);
  return range;
}

}  // namespace

const RangeMethodInfo kAbsmaxMethod = {RangeMethod::kAbsmax, "absmax", true, Find};

}  // namespace narrowgauge::internal
