#ifndef NARROWGAUGE_RANDOM_NORMAL_H_
#define NARROWGAUGE_RANDOM_NORMAL_H_

#include <cstdint>

#include "narrowgauge/numerics_profile.h"

namespace narrowgauge::internal {

// Returns the float32 that normal() makes of 32 random bits, of which it uses the upper 23:
// sqrt(2) * erfinv(u), u in (-1, 1), with Giles' polynomials in w = -log(1 - u^2).
//
// All 2^23 results are those of JAX under the profile. They are up to 91 ulp from the true
// quantile. Source: Giles, "Approximating the erfinv function" (GPU Computing Gems, 2012), single
// precision.
[[nodiscard]] float NormalFromBits(std::uint32_t bits, const NumericsProfile& profile);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_NORMAL_H_
