#ifndef NARROWGAUGE_RANDOM_PROFILE_ARITHMETIC_H_
#define NARROWGAUGE_RANDOM_PROFILE_ARITHMETIC_H_

#include <cmath>
#include <limits>

#include "narrowgauge/numerics_profile.h"

namespace narrowgauge::internal {

// Returns a * b + c, rounded once (kFused) or after each operation (kSeparate).
[[nodiscard]] inline float MultiplyThenAdd(MultiplyAdd how, float a, float b, float c) {
  return how == MultiplyAdd::kFused ? std::fma(a, b, c) : a * b + c;
}

// Returns `value`, or a zero of its sign where it is subnormal and the profile flushes those. JAX
// sets both of x86's modes (FTZ and DAZ), so operands and results alike go through this.
[[nodiscard]] inline float FlushSubnormal(Subnormals how, float value) {
  const bool flushes =
      how == Subnormals::kFlushed && std::fabs(value) < std::numeric_limits<float>::min();
  return flushes ? std::copysign(0.0f, value) : value;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_PROFILE_ARITHMETIC_H_
