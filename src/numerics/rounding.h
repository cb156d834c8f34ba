#ifndef NARROWGAUGE_NUMERICS_ROUNDING_H_
#define NARROWGAUGE_NUMERICS_ROUNDING_H_

#include <cstdint>

#include "narrowgauge/rounding.h"

namespace narrowgauge::internal {

// Returns significand * 2^-shift, rounded once to an integer; needs significand < 2^63, shift >= 0.
// Only kStochastic looks at `random`, 64 uniform bits: it rounds up if their upper bits, as many as
// are cut off, are less than those, or all of them less than the first 64 cut off.
[[nodiscard]] constexpr std::uint64_t ShiftRightRounded(std::uint64_t significand, int shift,
                                                        RoundingMode rounding,
                                                        std::uint64_t random = 0) {
  if (shift == 0) return significand;
  if (shift > 63) {  // Less than a half.
    if (rounding != RoundingMode::kStochastic || shift > 127) return 0;
    return random < (significand >> (shift - 64)) ? 1 : 0;
  }
  const std::uint64_t quotient = significand >> shift;
  const std::uint64_t remainder = significand - (quotient << shift);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  switch (rounding) {
    case RoundingMode::kNearestEven:
      return quotient + (remainder > half || (remainder == half && quotient % 2 == 1) ? 1 : 0);
    case RoundingMode::kNearestAway:
      return quotient + (remainder >= half ? 1 : 0);
    case RoundingMode::kTowardZero:
      return quotient;
    case RoundingMode::kStochastic:
      return quotient + ((random >> (64 - shift)) < remainder ? 1 : 0);
  }
  return quotient;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_ROUNDING_H_
