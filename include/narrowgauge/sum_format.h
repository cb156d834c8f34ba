#ifndef NARROWGAUGE_SUM_FORMAT_H_
#define NARROWGAUGE_SUM_FORMAT_H_

#include <cstdint>
#include <limits>

namespace narrowgauge {

enum class SumRounding : std::uint8_t {
  kNearestEven,
  kTowardZero,
  kToOdd,  // What is not exact takes the neighbour whose last bit is 1.
};

// The numbers that a running sum can be.
struct SumFormat {
  int mantissa_bits = 23;           // Without the leading one; 52 at most.
  int min_exponent = -126;          // Of the smallest normal.
  double largest = 0x1.FFFFFEp127;  // Finite.
  // What rounds to nearest beyond it: infinity, NaN or `largest`.
  double overflow = std::numeric_limits<double>::infinity();
  SumRounding rounding = SumRounding::kNearestEven;
  bool flushes_subnormals = false;  // Results; operands are another matter.
  bool has_negative_zero = true;

  friend bool operator==(const SumFormat&, const SumFormat&) = default;
};

// Limits of aligned groups: so many products below 4, in units of the last of so many bits kept,
// add up to an integer that float64 holds.
inline constexpr std::int64_t kLargestAlignedGroup = 1024;
inline constexpr int kMostAlignedBits = 40;

}  // namespace narrowgauge

#endif  // NARROWGAUGE_SUM_FORMAT_H_
