#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E8M0FNU_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E8M0FNU_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// Powers of two from 2^-127 to 2^127: a scale. No sign, no zero, no infinity.
inline constexpr DTypeInfo kFloat8E8M0Fnu = {
    .name = "float8_e8m0fnu",
    .file_name = "F8_E8M0",
    .aliases = {"e8m0fnu", "e8m0", "ue8m0"},
    .is_signed = false,
    .total_bits = 8,
    .exponent_bits = 8,
    .mantissa_bits = 0,
    .exponent_bias = 127,
    .has_zero = false,
    .special_values = SpecialValues::kNanAllOnes,
    .canonical_nan = 0xFF,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023, section 5.4.1",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E8M0FNU_H_
