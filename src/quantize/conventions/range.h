#ifndef NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_
#define NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_

#include <span>

#include "narrowgauge/dtype.h"
#include "narrowgauge/numerics_profile.h"

namespace narrowgauge::internal {

// What a scale is found from: all elements that share it. If one of them is NaN, so are all fields.
struct ElementRange {
  float lowest = 0;
  float largest = 0;
  float first_extreme = 0;  // The element of largest magnitude, the first of several.
  float deviation = 0;      // Only if it was asked for.

  [[nodiscard]] float Absmax() const;
};

// Returns the range of some elements, at least one, without their deviation. Of two zeros the first
// is the lowest, largest and first extreme.
[[nodiscard]] ElementRange RangeOf(std::span<const float> elements, Subnormals subnormals);

// Returns the range of the elements of both, `a`'s coming first, without their deviation.
[[nodiscard]] ElementRange Merged(const ElementRange& a, const ElementRange& b);

// Returns the standard deviation of values of a type, float32 or float16, as numpy computes it: the
// sums of values and squares in float32 by halves down to 128, and those in eight partial sums; all
// results but the parts of a sum rounded to the type.
[[nodiscard]] float StandardDeviation(std::span<const float> elements, DType type);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_
