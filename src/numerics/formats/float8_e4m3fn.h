#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FN_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FN_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// Finite but for one NaN per sign: 448 is the largest value, where IEEE rules would end at 240.
inline constexpr DTypeInfo kFloat8E4M3Fn = {
    .name = "float8_e4m3fn",
    .file_name = "F8_E4M3",
    .aliases = {"e4m3fn", "fp8_e4m3fn", "e4m3", "fp8_e4m3"},
    .total_bits = 8,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .exponent_bias = 7,
    .special_values = SpecialValues::kNanAllOnes,
    .canonical_nan = 0x7F,
    .source = "OCP 8-bit Floating Point Specification (OFP8), revision 1.0, 2023",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3FN_H_
