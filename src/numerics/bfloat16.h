#ifndef NARROWGAUGE_NUMERICS_BFLOAT16_H_
#define NARROWGAUGE_NUMERICS_BFLOAT16_H_

#include <bit>
#include <cstdint>

namespace narrowgauge::internal {

// Returns the float32 of a bfloat16's bits: exact, since they are its upper half.
[[nodiscard]] inline float FloatFromBFloat16(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

// Returns the bfloat16 nearest to `value`, ties to even, as XLA and ml_dtypes do. Subnormals are
// kept; values from 2^128 - 2^119 on become infinity; NaN becomes 0x7FC0 with its sign.
[[nodiscard]] inline std::uint16_t BFloat16FromFloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) {
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000U) | 0x7FC0U);
  }
  // Adds just less than half a unit, or half of one where the unit is odd; carries go where they
  // must.
  const std::uint32_t odd = bits >> 16 & 1U;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + odd) >> 16);
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_BFLOAT16_H_
