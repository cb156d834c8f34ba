#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT32_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT32_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kFloat32 = {
    .name = "float32",
    .file_name = "F32",
    .aliases = {"f32", "fp32"},
    .total_bits = 32,
    .exponent_bits = 8,
    .mantissa_bits = 23,
    .exponent_bias = 127,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7FC00000,
    .source = "IEEE 754-2019, binary32",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT32_H_
