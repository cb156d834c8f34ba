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

}  // namespace narrowgauge

#endif  // NARROWGAUGE_SUM_FORMAT_H_
