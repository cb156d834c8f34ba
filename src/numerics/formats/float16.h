#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT16_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT16_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kFloat16 = {
    .name = "float16",
    .file_name = "F16",
    .aliases = {"f16", "fp16", "half"},
    .total_bits = 16,
    .exponent_bits = 5,
    .mantissa_bits = 10,
    .exponent_bias = 15,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7E00,
    .source = "IEEE 754-2019, binary16",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT16_H_
