#ifndef NARROWGAUGE_QUANTIZE_ELEMENT_H_
#define NARROWGAUGE_QUANTIZE_ELEMENT_H_

#include <cstdint>
#include <optional>

#include "narrowgauge/dtype.h"
#include "narrowgauge/quantization.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// The elements of a spec: what becomes of one quotient, by the reference codec.
class ElementGrid {
 public:
  explicit ElementGrid(const QuantizationSpec& spec);

  struct Rounded {
    double value;    // That of the code, unscaled; NaN or infinite only if overflow is native.
    bool saturated;  // The rounded quotient lay beyond the codes there are.
  };

  // Rounds quotient + zero_point to a code; the zero point is an integer, 0 for floats. NaN, which
  // only 0 / 0 can give, counts as 0. `random` is for stochastic rounding.
  [[nodiscard]] Rounded Round(double quotient, double zero_point, std::uint64_t random) const;

  // What the largest magnitude of a symmetric scale is divided by.
  [[nodiscard]] double Divisor() const { return divisor_; }
  // The codes of an integer; largest magnitude of a float.
  [[nodiscard]] double Lowest() const { return lowest_; }
  [[nodiscard]] double Largest() const { return largest_; }
  // What the integer code 1 means: 2^-6 in mxint8, else 1.
  [[nodiscard]] double Unit() const { return unit_; }
  [[nodiscard]] const DTypeInfo& Info() const { return *info_; }
  // How kernels convert to these codes, rounding to nearest even; nothing of formats they do not.
  [[nodiscard]] std::optional<CodecConstants> Codec() const;

 private:
  const DTypeInfo* info_;
  RoundingMode rounding_;
  OverflowMode overflow_;
  double lowest_;
  double largest_;
  double divisor_;
  double unit_ = 1;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_ELEMENT_H_
