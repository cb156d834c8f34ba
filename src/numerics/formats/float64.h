#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT64_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT64_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kFloat64 = {
    .name = "float64",
    .file_name = "F64",
    .aliases = {"f64", "fp64", "double"},
    .total_bits = 64,
    .exponent_bits = 11,
    .mantissa_bits = 52,
    .exponent_bias = 1023,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7FF8000000000000,
    .source = "IEEE 754-2019, binary64",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT64_H_
