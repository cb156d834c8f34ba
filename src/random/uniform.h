#ifndef NARROWGAUGE_RANDOM_UNIFORM_H_
#define NARROWGAUGE_RANDOM_UNIFORM_H_

#include <bit>
#include <cstdint>

namespace narrowgauge::internal {

// Returns k * 2^-23 in [0, 1), exactly, where k is the upper 23 of the bits: they become the
// mantissa of a float32 in [1, 2).
[[nodiscard]] inline float UnitFromBits(std::uint32_t bits) {
  return std::bit_cast<float>(bits >> 9 | 0x3F800000U) - 1.0f;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_UNIFORM_H_
