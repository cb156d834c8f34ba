#ifndef NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_
#define NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_

#include "narrowgauge/dtype.h"

// Formats of kinds that no row of the table has. For tests only: they show that the codec follows
// its descriptor, whatever that is.

namespace narrowgauge::internal::examples {

// Made up: nobody else has mantissa bits and no zero.
inline constexpr DTypeInfo kFloat5E3M2NoZero = {.name = "float5_e3m2_no_zero",
                                                .is_signed = false,
                                                .total_bits = 5,
                                                .exponent_bits = 3,
                                                .mantissa_bits = 2,
                                                .exponent_bias = 3,
                                                .has_zero = false,
                                                .special_values = SpecialValues::kNanAllOnes,
                                                .canonical_nan = 0x1F};

}  // namespace narrowgauge::internal::examples

#endif  // NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_
