#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FNUZ_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FNUZ_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// No infinities and no -0, whose code is the only NaN; the bias is one more than in IEEE rules.
inline constexpr DTypeInfo kFloat8E4M3Fnuz = {
    .name = "float8_e4m3fnuz",
    .file_name = "F8_E4M3FNUZ",
    .aliases = {"e4m3fnuz", "fp8_e4m3fnuz"},
    .total_bits = 8,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .exponent_bias = 8,
    .special_values = SpecialValues::kNanNegativeZero,
    .canonical_nan = 0x80,
    .source =
        "Noune et al., 8-bit Numerical Formats for Deep Neural Networks, arXiv:2206.02915 (2022)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FNUZ_H_
