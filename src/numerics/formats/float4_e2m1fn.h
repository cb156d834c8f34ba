#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT4_E2M1FN_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT4_E2M1FN_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// 0, 0.5, 1, 1.5, 2, 3, 4 and 6, and their negatives.
// It has no NaN; ml_dtypes turns NaN into -0.
inline constexpr DTypeInfo kFloat4E2M1Fn = {
    .name = "float4_e2m1fn",
    .file_name = "F4",
    .aliases = {"e2m1fn", "e2m1", "fp4", "fp4_e2m1"},
    .total_bits = 4,
    .exponent_bits = 2,
    .mantissa_bits = 1,
    .exponent_bias = 1,
    .special_values = SpecialValues::kNone,
    .canonical_nan = 0x8,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023, section 5.3.3",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT4_E2M1FN_H_
