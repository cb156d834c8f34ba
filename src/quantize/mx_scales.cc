#include "src/quantize/mx_scales.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace narrowgauge::internal {
namespace {

constexpr std::uint32_t kMantissaUnit = 1U << 23;

// Mantissa bits of the least significand in [1, 2) that is at least `value`.
std::uint32_t MantissaAtLeast(double value) {
  return static_cast<std::uint32_t>(std::ceil((value - 1) * kMantissaUnit));
}

}  // namespace

MxScales::MxScales(MxScaleRule rule, const ElementGrid& grid) {
  unit_exponent_ = -std::ilogb(grid.Unit());
  const double largest = grid.Divisor();
  int exponent = std::ilogb(largest);
  const double significand = std::ldexp(largest, -exponent);
  switch (rule) {
    case MxScaleRule::kFloor:
      break;
    case MxScaleRule::kCeil:
      constants_.increment = kMantissaUnit - 1;
      break;
    case MxScaleRule::kRceil:  // Up where the significand of absmax is above the largest value's.
      constants_.increment = kMantissaUnit - 1 - MantissaAtLeast(significand);
      break;
    case MxScaleRule::kNearest: {
      // Up where it is above that of the largest value times the root of 2, or of 1/2.
      const double up = significand * std::sqrt(2.0);
      const bool wraps = up >= 2;
      constants_.increment = kMantissaUnit - MantissaAtLeast(wraps ? up / 2 : up);
      exponent += wraps ? 1 : 0;
      break;
    }
  }
  constants_.down = static_cast<std::uint32_t>(exponent + unit_exponent_);
  constants_.code_offset = static_cast<std::uint32_t>(unit_exponent_);
}

bool MxScales::Find(const float* absmax, std::int64_t count, float* factors, float* scales) const {
  // Of magnitudes, bits are in the order of values, NaN last; of integers the compiler knows that
  // minima need no order.
  const auto least_absmax = std::bit_cast<std::int32_t>(constants_.least_absmax);
  const auto greatest_absmax = std::bit_cast<std::int32_t>(constants_.greatest_absmax);
  std::int32_t least = greatest_absmax;
  std::int32_t greatest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(absmax[i]);
    const std::uint32_t exponent = ((bits + constants_.increment) >> 23) - constants_.down;
    scales[i] = std::bit_cast<float>(exponent << 23);
    factors[i] = std::bit_cast<float>((254 - exponent) << 23);
    least = std::min(least, std::bit_cast<std::int32_t>(bits));
    greatest = std::max(greatest, std::bit_cast<std::int32_t>(bits));
  }
  return least >= least_absmax && greatest <= greatest_absmax;
}

}  // namespace narrowgauge::internal
