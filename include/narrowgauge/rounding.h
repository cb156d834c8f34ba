#ifndef NARROWGAUGE_ROUNDING_H_
#define NARROWGAUGE_ROUNDING_H_

#include <cstdint>

namespace narrowgauge {

// Which of its two neighbours in a format a value becomes; IEEE 754-2019, section 4.3.
enum class RoundingMode : std::uint8_t {
  kNearestEven,  // The nearer one; of two as near, the one whose last mantissa bit is 0, or the
                 // larger where there are no mantissa bits.
  kNearestAway,  // The nearer one; of two as near, the one farther from zero.
  kTowardZero,   // The one nearer to zero.
  kStochastic,   // The one farther from zero with the probability that makes the mean exact, else
                 // the nearer to zero; random bits are given from outside.
};

// What becomes of values beyond the largest finite one, infinities among them. A value is beyond it
// if it would not round to it in the same format with more exponents. kTowardZero rounds finite
// values to it always.
enum class OverflowMode : std::uint8_t {
  kNative,    // Infinity, or NaN where the format has none, or the largest value where neither
              // exists.
  kSaturate,  // The largest finite value of the same sign.
};

}  // namespace narrowgauge

#endif  // NARROWGAUGE_ROUNDING_H_
