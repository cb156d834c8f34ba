#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// The same fields by the rules of IEEE 754, with infinities: 240 is the largest value.
inline constexpr DTypeInfo kFloat8E4M3 = {
    .name = "float8_e4m3",
    .aliases = {"e4m3", "fp8_e4m3"},
    .total_bits = 8,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .exponent_bias = 7,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7C,
    .source =
        "IEEE 754 rules for fields of 4 and 3 bits, as ml_dtypes and StableHLO (f8E4M3) have them",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3_H_
