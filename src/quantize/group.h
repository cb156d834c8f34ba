#ifndef NARROWGAUGE_QUANTIZE_GROUP_H_
#define NARROWGAUGE_QUANTIZE_GROUP_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "narrowgauge/quantization.h"
#include "src/quantize/element.h"
#include "src/quantize/scale.h"

// One group: elements that share a scale.

namespace narrowgauge::internal {

// A spec made ready for elements of one precision, float32 or float64.
struct GroupRules {
  GroupRules(const QuantizationSpec& rules_of, DType precision_of)
      : spec(rules_of), grid(spec), precision(precision_of) {}

  QuantizationSpec spec;
  ElementGrid grid;
  DType precision;
  double tensor_scale = 1;  // Of nvfp4.
};

struct QuantizedElement {
  float value;
  bool saturated;
  float code;  // The value of the code, unscaled, zero point included.
};

// What x comes back as: the quotient is rounded once to the precision, then to a code; the value of
// the code times the scale, plus the minimum if the zero point is one, is rounded once to float32.
[[nodiscard]] QuantizedElement QuantizeElement(const GroupRules& rules, const GroupScale& scale,
                                               double x, std::uint64_t random = 0);

// How a RangeMethod finds the range that a group's scale must cover; one file each in methods/.
struct RangeMethodInfo {
  RangeMethod method;
  std::string_view name;  // The word in policies.
  // True if a range of ranges is as good as one of elements, so that no group need be gathered.
  bool from_extremes;
  Range (*find)(const GroupRules& rules, std::span<const double> elements);
};

[[nodiscard]] const RangeMethodInfo& GetRangeMethod(RangeMethod method);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_GROUP_H_
