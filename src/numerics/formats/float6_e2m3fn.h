#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E2M3FN_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E2M3FN_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// It has no NaN; ml_dtypes turns NaN into -0.
inline constexpr DTypeInfo kFloat6E2M3Fn = {
    .name = "float6_e2m3fn",
    .file_name = "F6_E2M3",
    .aliases = {"e2m3fn", "e2m3", "fp6_e2m3"},
    .total_bits = 6,
    .exponent_bits = 2,
    .mantissa_bits = 3,
    .exponent_bias = 1,
    .special_values = SpecialValues::kNone,
    .canonical_nan = 0x20,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023, section 5.3.2",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E2M3FN_H_
