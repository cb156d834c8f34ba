#include "src/quantize/group.h"

#include <cmath>

namespace narrowgauge::internal {

QuantizedElement QuantizeElement(const GroupRules& rules, const GroupScale& scale, double x,
                                 std::uint64_t random) {
  const bool has_minimum = rules.spec.zero_point == ZeroPoint::kFloat;
  const double zero_point = has_minimum ? 0 : scale.zero_point;
  double quotient = 0;
  if (rules.precision == DType::kFloat64) {
    quotient = (has_minimum ? x - scale.zero_point : x) / scale.scale;
  } else {
    const auto element = static_cast<float>(x);
    const float offset = has_minimum ? element - static_cast<float>(scale.zero_point) : element;
    quotient = static_cast<double>(offset / static_cast<float>(scale.scale));
  }
  const ElementGrid::Rounded rounded = rules.grid.Round(quotient, zero_point, random);
  const auto code = static_cast<float>(rounded.value - zero_point);
  const auto factor = static_cast<float>(scale.scale);
  const float value =
      has_minimum ? std::fma(code, factor, static_cast<float>(scale.zero_point)) : code * factor;
  return {value, rounded.saturated, static_cast<float>(rounded.value)};
}

}  // namespace narrowgauge::internal
