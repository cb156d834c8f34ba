#ifndef NARROWGAUGE_NUMERICS_ROUNDING_H_
#define NARROWGAUGE_NUMERICS_ROUNDING_H_

#include <cstdint>

namespace narrowgauge {

// Which of its two neighbours in a format a value becomes; IEEE 754-2019, section 4.3.
enum class RoundingMode : std::uint8_t {
  kNearestEven,  // The nearer one; of two as near, the one whose last mantissa bit is 0, or the
                 // larger where there are no mantissa bits.
  kNearestAway,  // The nearer one; of two as near, the one farther from zero.
  kTowardZero,   // The one nearer to zero.
};

// What becomes of values beyond the largest finite one, infinities among them. A value is beyond it
// if it would not round to it in the same format with more exponents. kTowardZero rounds finite
// values to it always.
enum class OverflowMode : std::uint8_t {
  kNative,    // Infinity, or NaN where the format has none, or the largest value where neither
              // exists.
  kSaturate,  // The largest finite value of the same sign.
};

namespace internal {

// Returns significand * 2^-shift, rounded once to an integer; needs significand < 2^63, shift >= 0.
[[nodiscard]] constexpr std::uint64_t ShiftRightRounded(std::uint64_t significand, int shift,
                                                        RoundingMode rounding) {
  if (shift == 0) return significand;
  if (shift > 63) return 0;  // Less than a half.
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
  }
  return quotient;
}

}  // namespace internal
}  // namespace narrowgauge

#endif  // NARROWGAUGE_NUMERICS_ROUNDING_H_
