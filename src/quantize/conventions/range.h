#ifndef NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_
#define NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_

#include <span>

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

enum class Deviation : bool { kLeftOut, kComputed };

// Returns the range of some elements, at least one. Of two zeros the first is the lowest, largest
// and first extreme.
[[nodiscard]] ElementRange RangeOf(std::span<const float> elements, Subnormals subnormals,
                                   Deviation deviation);

// Returns the range of the elements of both, `a`'s coming first, without their deviation.
[[nodiscard]] ElementRange Merged(const ElementRange& a, const ElementRange& b);

// Returns the standard deviation as numpy computes it in float32: both sums by halves down to 128
// elements, and those in eight partial sums.
[[nodiscard]] float StandardDeviation(std::span<const float> elements);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTIONS_RANGE_H_
