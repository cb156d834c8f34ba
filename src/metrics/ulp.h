#ifndef NARROWGAUGE_METRICS_ULP_H_
#define NARROWGAUGE_METRICS_ULP_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal {

// The unit in the last place of a number format, as ErrorOptions::ulp_of defines it.
class UlpOf {
 public:
  explicit UlpOf(DType dtype);

  // Returns log2(ulp(r)) for a finite r, which need not be a value of the format.
  [[nodiscard]] int Exponent(double r) const;

 private:
  int lowest_, highest_;  // Exponents of the first and last binade; equal for integers.
  int mantissa_bits_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_ULP_H_
