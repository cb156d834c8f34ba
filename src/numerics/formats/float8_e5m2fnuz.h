#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2FNUZ_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2FNUZ_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// No infinities and no -0, whose code is the only NaN; the bias is one more than in IEEE rules.
inline constexpr DTypeInfo kFloat8E5M2Fnuz = {
    .name = "float8_e5m2fnuz",
    .file_name = "F8_E5M2FNUZ",
    .aliases = {"e5m2fnuz", "fp8_e5m2fnuz"},
    .total_bits = 8,
    .exponent_bits = 5,
    .mantissa_bits = 2,
    .exponent_bias = 16,
    .special_values = SpecialValues::kNanNegativeZero,
    .canonical_nan = 0x80,
    .source =
        "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv:2206.02915 (2022)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E5M2FNUZ_H_
