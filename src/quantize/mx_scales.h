#ifndef NARROWGAUGE_QUANTIZE_MX_SCALES_H_
#define NARROWGAUGE_QUANTIZE_MX_SCALES_H_

#include <cstdint>

#include "narrowgauge/quantization.h"
#include "src/kernels/kernels.h"
#include "src/quantize/element.h"

namespace narrowgauge::internal {

// The scales of MX blocks, by integer arithmetic on the bits of their largest magnitudes: what
// FindScale defines, for blocks of plain numbers.
class MxScales {
 public:
  MxScales(MxScaleRule rule, const ElementGrid& grid);

  // scales[i] = the scale of a block whose largest magnitude is absmax[i], times the unit of an
  // integer's codes; factors[i] = 1 / scales[i]. False, with scales that mean nothing, if some
  // magnitude is NaN or outside the bounds of MxScaleConstants.
  [[nodiscard]] bool Find(const float* absmax, std::int64_t count, float* factors,
                          float* scales) const;

  // The same for kernels, which leave out what Find leaves out.
  [[nodiscard]] const MxScaleConstants& Constants() const { return constants_; }

  // Unit of a code, 2^-UnitExponent(): 6 in mxint8, else 0.
  [[nodiscard]] int UnitExponent() const { return unit_exponent_; }

 private:
  MxScaleConstants constants_;
  int unit_exponent_ = 0;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_MX_SCALES_H_
