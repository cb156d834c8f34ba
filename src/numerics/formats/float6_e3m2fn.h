#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E3M2FN_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E3M2FN_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// It has no NaN; ml_dtypes turns NaN into -0.
inline constexpr DTypeInfo kFloat6E3M2Fn = {
    .name = "float6_e3m2fn",
    .file_name = "F6_E3M2",
    .aliases = {"e3m2fn", "e3m2", "fp6_e3m2"},
    .total_bits = 6,
    .exponent_bits = 3,
    .mantissa_bits = 2,
    .exponent_bias = 3,
    .special_values = SpecialValues::kNone,
    .canonical_nan = 0x20,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023, section 5.3.2",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT6_E3M2FN_H_
