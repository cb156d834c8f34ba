#include "src/metrics/ulp.h"

#include <algorithm>
#include <cmath>

#include "src/numerics/codec.h"

namespace narrowgauge::internal {

UlpOf::UlpOf(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  if (info.kind == DTypeKind::kInteger) {
    lowest_ = highest_ = mantissa_bits_ = 0;
    return;
  }
  lowest_ = (info.has_zero ? 1 : 0) - info.exponent_bias;
  highest_ = std::ilogb(Decode(info, LargestFiniteCode(info)));
  mantissa_bits_ = info.mantissa_bits;
}

int UlpOf::Exponent(double r) const {
  const int binade = r == 0 ? lowest_ : std::clamp(std::ilogb(r), lowest_, highest_);
  return binade - mantissa_bits_;
}

}  // namespace narrowgauge::internal
