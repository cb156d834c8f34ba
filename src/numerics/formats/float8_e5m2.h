#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// The upper half of a float16.
inline constexpr DTypeInfo kFloat8E5M2 = {
    .name = "float8_e5m2",
    .file_name = "F8_E5M2",
    .aliases = {"e5m2", "fp8_e5m2"},
    .total_bits = 8,
    .exponent_bits = 5,
    .mantissa_bits = 2,
    .exponent_bias = 15,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7E,
    .source = "OCP 8-bit Floating Point Specification (OFP8), revision 1.0, 2023",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2_H_
