#ifndef NARROWGAUGE_RANDOM_LOG1P_H_
#define NARROWGAUGE_RANDOM_LOG1P_H_

#include "narrowgauge/numerics_profile.h"

namespace narrowgauge::internal {

// Returns log(1 + x) for x in (-1, 0], as XLA's CPU compiler approximates it, to the last bit; that
// bit depends on `variant` and `multiply_add`.
//
// Sources: the rational near zero is Cephes' log1p; the polynomial elsewhere is Cephes' logf in the
// form of Eigen's plog. Log1pVariant::kLibm calls the C library instead of that polynomial, so its
// last bit is the library's: glibc 2.28 and later give what JAX gave.
[[nodiscard]] float Log1p(float x, Log1pVariant variant, MultiplyAdd multiply_add);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_LOG1P_H_
