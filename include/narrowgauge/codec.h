#ifndef NARROWGAUGE_CODEC_H_
#define NARROWGAUGE_CODEC_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "narrowgauge/dtype.h"
#include "narrowgauge/rounding.h"
#include "narrowgauge/status.h"

// What a code of any number format means, and which code a value becomes. Plain and slow: for one
// value at a time, and to compare faster conversions with.
//
// A code is in the lowest total_bits. With s, e, m its sign, exponent and mantissa fields, a float
// is
//   (-1)^s * 2^(e - bias) * (1 + m / 2^mantissa_bits)    if e > 0 or the format has no zero,
//   (-1)^s * 2^(1 - bias) * m / 2^mantissa_bits          if e = 0,
// but for the codes that SpecialValues sets aside. An integer is its two's complement, or its bits
// if it has no sign.

namespace narrowgauge {

// Returns the code of `value`, rounded once. Subnormals are kept, of either format; the carry of a
// rounded mantissa reaches the exponent.
//
// NaN becomes canonical_nan and, where the format has a sign, keeps its own. Zero keeps its sign
// where the format has a -0. Overflow goes where OverflowMode says; integers always saturate.
//
// Without a zero, magnitudes below the smallest become it. Without a sign, negative values become
// NaN in a float and 0 in an integer. Zero becomes NaN in a float without either.
//
// Only kStochastic looks at `random`: of its 2^64 values, the share that rounds away from zero is
// the distance from the neighbour nearer to zero, in units of the distance between the two, exactly
// where that needs at most 64 bits, else rounded down to 64. A value of the format never moves.
[[nodiscard]] std::uint64_t EncodeValue(DType dtype, double value,
                                        RoundingMode rounding = RoundingMode::kNearestEven,
                                        OverflowMode overflow = OverflowMode::kNative,
                                        std::uint64_t random = 0);

// Returns the value of a code, exactly. NaN is quiet and has the code's sign. Bits above total_bits
// do not count.
[[nodiscard]] double DecodeValue(DType dtype, std::uint64_t code);

enum class ValueClass : std::uint8_t { kZero, kSubnormal, kNormal, kInfinity, kNan };

// Returns "zero", "subnormal", "normal", "infinity" or "NaN".
[[nodiscard]] std::string_view ValueClassName(ValueClass value_class);

// Returns what a code stands for. Integers but 0 are normal.
[[nodiscard]] ValueClass ClassifyCode(DType dtype, std::uint64_t code);

// What follows from the descriptor of a format. Values are finite; those that are called smallest
// are the smallest above zero.
struct DTypeLimits {
  double largest = 0;
  double lowest = 0;           // -largest, or less in two's complement; 0 or more without a sign.
  double smallest_normal = 0;  // 1 for integers.
  double smallest_subnormal = 0;  // smallest_normal where there are no subnormals.
  double epsilon = 0;             // From 1 to the next larger value, 2^-mantissa_bits.
  bool has_subnormals = false;
  bool has_infinity = false;
  bool has_nan = false;
  bool has_zero = false;
  bool has_negative_zero = false;
};

[[nodiscard]] DTypeLimits GetDTypeLimits(DType dtype);

// A value of a format and the code it has.
struct CodedValue {
  std::uint64_t code = 0;
  double value = 0;
};

// The values of a format next to a number, which may be one of them: the largest below it and the
// smallest above it, infinities included. None where there is none, and of NaN.
struct Neighbours {
  std::optional<CodedValue> below;
  std::optional<CodedValue> above;
};

// As nextDown and nextUp of IEEE 754-2019, section 5.3.1: between values of both signs comes a
// zero, with the sign of `value` where the format has a -0.
[[nodiscard]] Neighbours FindNeighbours(DType dtype, double value);

// "even", "away", "zero", "stochastic"; and "native", "saturate".
[[nodiscard]] std::string_view RoundingModeName(RoundingMode rounding);
[[nodiscard]] std::string_view OverflowModeName(OverflowMode overflow);
[[nodiscard]] std::span<const RoundingMode> AllRoundingModes();
[[nodiscard]] std::span<const OverflowMode> AllOverflowModes();

// kInvalidArgument names the accepted words and the nearest one.
[[nodiscard]] Result<RoundingMode> ParseRoundingMode(std::string_view name);
[[nodiscard]] Result<OverflowMode> ParseOverflowMode(std::string_view name);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_CODEC_H_
