#ifndef NARROWGAUGE_NUMERICS_CODEC_H_
#define NARROWGAUGE_NUMERICS_CODEC_H_

#include <cstdint>

#include "narrowgauge/dtype.h"
#include "narrowgauge/rounding.h"

// The reference codec, from any descriptor; narrowgauge/codec.h is its contract. Slow and obvious;
// every fast conversion is tested against it. Floats have at most 52 mantissa bits and float64's
// exponents; integers have at most 52 bits.

namespace narrowgauge::internal {

// Returns the code of the largest finite value. A float's codes of larger magnitude are infinite
// or NaN.
[[nodiscard]] std::uint64_t LargestFiniteCode(const DTypeInfo& info);

// Returns the value of a code, as DecodeValue does.
[[nodiscard]] double Decode(const DTypeInfo& info, std::uint64_t code);

// Returns the code of `value`, as EncodeValue does.
[[nodiscard]] std::uint64_t Encode(const DTypeInfo& info, double value,
                                   RoundingMode rounding = RoundingMode::kNearestEven,
                                   OverflowMode overflow = OverflowMode::kNative,
                                   std::uint64_t random = 0);

// Returns whether `value` would round to more than the largest finite value, or of integers to less
// than the least: whether OverflowMode matters. Not of NaN.
[[nodiscard]] bool Overflows(const DTypeInfo& info, double value,
                             RoundingMode rounding = RoundingMode::kNearestEven,
                             std::uint64_t random = 0);

// The same for float32: widening is exact and keeps the sign of NaN.
[[nodiscard]] inline std::uint64_t EncodeFloat32(const DTypeInfo& info, float value,
                                                 RoundingMode rounding = RoundingMode::kNearestEven,
                                                 OverflowMode overflow = OverflowMode::kNative,
                                                 std::uint64_t random = 0) {
  return Encode(info, static_cast<double>(value), rounding, overflow, random);
}

// Returns the value of a code as float32, exact where float32 holds all values of the format, else
// rounded to nearest even. Keeps the sign of NaN.
[[nodiscard]] inline float DecodeFloat32(const DTypeInfo& info, std::uint64_t code) {
  return static_cast<float>(Decode(info, code));
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_CODEC_H_
