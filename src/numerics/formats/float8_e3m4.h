#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E3M4_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E3M4_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// By the rules of IEEE 754.
inline constexpr DTypeInfo kFloat8E3M4 = {
    .name = "float8_e3m4",
    .aliases = {"e3m4", "fp8_e3m4"},
    .total_bits = 8,
    .exponent_bits = 3,
    .mantissa_bits = 4,
    .exponent_bias = 3,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x78,
    .source =
        "IEEE 754 rules for fields of 3 and 4 bits, as ml_dtypes and StableHLO (f8E3M4) have them",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E3M4_H_
