#ifndef NARROWGAUGE_NUMERICS_CODEC_H_
#define NARROWGAUGE_NUMERICS_CODEC_H_

#include <cstdint>

#include "narrowgauge/dtype.h"
#include "narrowgauge/rounding.h"

// The reference codec: what a code of any format means, and which code a value becomes. Slow and
// obvious; every fast conversion is tested against it.
//
// A code is in the lowest total_bits. With s, e, m its sign, exponent and mantissa fields, a float
// is
//   (-1)^s * 2^(e - bias) * (1 + m / 2^mantissa_bits)    if e > 0 or the format has no zero,
//   (-1)^s * 2^(1 - bias) * m / 2^mantissa_bits          if e = 0,
// but for the codes that SpecialValues sets aside. An integer is its two's complement, or its bits
// if it has no sign. Floats have at most 52 mantissa bits and float64's exponents; integers have at
// most 52 bits.

namespace narrowgauge::internal {

// Returns the code of the largest finite value. A float's codes of larger magnitude are infinite
// or NaN.
[[nodiscard]] std::uint64_t LargestFiniteCode(const DTypeInfo& info);

// Returns the value of a code, exactly. A NaN is quiet and has the code's sign. Bits above
// total_bits do not count.
[[nodiscard]] double Decode(const DTypeInfo& info, std::uint64_t code);

// Returns the code of `value`, rounded once. Subnormals are kept, of either format; the carry of a
// rounded mantissa reaches the exponent.
//
// NaN becomes canonical_nan and, where the format has a sign, keeps its own. Zero keeps its sign
// where the format has a -0. Overflow goes where OverflowMode says; integers always saturate.
//
// Without a zero, magnitudes below the smallest become it. Without a sign, negative values become
// NaN in a float and 0 in an integer. Zero becomes NaN in a float without either.
[[nodiscard]] std::uint64_t Encode(const DTypeInfo& info, double value,
                                   RoundingMode rounding = RoundingMode::kNearestEven,
                                   OverflowMode overflow = OverflowMode::kNative);

// The same for float32: widening is exact and keeps the sign of NaN.
[[nodiscard]] inline std::uint64_t EncodeFloat32(const DTypeInfo& info, float value,
                                                 RoundingMode rounding = RoundingMode::kNearestEven,
                                                 OverflowMode overflow = OverflowMode::kNative) {
  return Encode(info, static_cast<double>(value), rounding, overflow);
}

// Returns the value of a code as float32, exact where float32 holds all values of the format, else
// rounded to nearest even. Keeps the sign of NaN.
[[nodiscard]] inline float DecodeFloat32(const DTypeInfo& info, std::uint64_t code) {
  return static_cast<float>(Decode(info, code));
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_CODEC_H_
