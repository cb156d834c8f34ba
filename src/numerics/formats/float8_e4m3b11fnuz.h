#ifndef NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3B11FNUZ_H_
#define NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3B11FNUZ_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// float8_e4m3fnuz with a bias of 11.
inline constexpr DTypeInfo kFloat8E4M3B11Fnuz = {
    .name = "float8_e4m3b11fnuz",
    .aliases = {"e4m3b11fnuz", "e4m3b11"},
    .total_bits = 8,
    .exponent_bits = 4,
    .mantissa_bits = 3,
    .exponent_bias = 11,
    .special_values = SpecialValues::kNanNegativeZero,
    .canonical_nan = 0x80,
    .source = "Sun et al., Hybrid 8-bit Floating Point (HFP8) Training, NeurIPS 2019; ml_dtypes",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_FLOAT8_E4M3B11FNUZ_H_
