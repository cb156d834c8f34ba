#ifndef NARROWGAUGE_NUMERICS_FORMATS_TF32_H_
#define NARROWGAUGE_NUMERICS_FORMATS_TF32_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// float32 with the mantissa of float16: what tensor cores read of a float32. In memory it is a
// float32 whose low bits do not count.
inline constexpr DTypeInfo kTf32 = {
    .name = "tf32",
    .aliases = {"tensorfloat32"},
    .total_bits = 19,
    .storage_bits = 32,
    .exponent_bits = 8,
    .mantissa_bits = 10,
    .exponent_bias = 127,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x3FE00,
    .source = "NVIDIA A100 Tensor Core GPU Architecture, whitepaper (2020)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_TF32_H_
