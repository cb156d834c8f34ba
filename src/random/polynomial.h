#ifndef NARROWGAUGE_RANDOM_POLYNOMIAL_H_
#define NARROWGAUGE_RANDOM_POLYNOMIAL_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "src/random/profile_arithmetic.h"

namespace narrowgauge::internal {

// Coefficients of a polynomial as the bits of float32, highest degree first.
template <std::size_t kCount>
using Coefficients = std::array<std::uint32_t, kCount>;

// Returns the polynomial at x by Horner's scheme.
template <std::size_t kCount>
[[nodiscard]] float EvaluatePolynomial(const Coefficients<kCount>& coefficients, float x,
                                       MultiplyAdd multiply_add) {
  auto value = std::bit_cast<float>(coefficients[0]);
  for (std::size_t i = 1; i < kCount; ++i) {
    value = MultiplyThenAdd(multiply_add, value, x, std::bit_cast<float>(coefficients[i]));
  }
  return value;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_POLYNOMIAL_H_
