#ifndef NARROWGAUGE_QUANTIZE_CONVENTIONS_ELEMENT_H_
#define NARROWGAUGE_QUANTIZE_CONVENTIONS_ELEMENT_H_

#include <cstdint>
#include <vector>

#include "narrowgauge/dtype.h"
#include "src/quantize/recipe.h"

namespace narrowgauge::internal {

// Floats of eight bits or fewer, or MXINT8, whose codes are integers that count 64ths.
class ElementFormat {
 public:
  explicit ElementFormat(DType dtype);

  [[nodiscard]] float Largest() const { return largest_; }
  [[nodiscard]] int LargestExponent() const { return largest_exponent_; }  // floor(log2 Largest())

  struct Coded {
    double code;
    float value;
    bool saturated;
  };

  // Returns the nearest element, with the sign that `sign` says; q saturates, and a NaN becomes
  // nan_code if the format has none.
  [[nodiscard]] Coded Round(float q, ElementTies ties, ElementSign sign, int nan_code) const;

  // Returns the first of the codes, in ascending order, whose value * factor * scale has the least
  // float32 distance to `target`. Without one (infinite or NaN distances) that is code 0.
  [[nodiscard]] Coded Nearest(float target, float factor, float scale) const;

 private:
  [[nodiscard]] Coded RoundInteger(float q, ElementTies ties) const;

  const DTypeInfo& info_;
  bool is_integer_;
  float largest_;
  int largest_exponent_;
  float first_above_;  // The tie between the largest value and the next one, if there were one.
  std::vector<float> values_;  // Of all codes, in their order.
};

// Returns the one of a format, made once.
[[nodiscard]] const ElementFormat& GetElementFormat(DType dtype);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTIONS_ELEMENT_H_
