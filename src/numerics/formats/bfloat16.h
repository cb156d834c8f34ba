#ifndef NARROWGAUGE_NUMERICS_FORMATS_BFLOAT16_H_
#define NARROWGAUGE_NUMERICS_FORMATS_BFLOAT16_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// The upper half of a float32. Its source leaves NaN payloads open; XLA and ml_dtypes make every
// NaN 0x7FC0 and keep the sign.
inline constexpr DTypeInfo kBFloat16 = {
    .name = "bfloat16",
    .file_name = "BF16",
    .aliases = {"bf16"},
    .total_bits = 16,
    .exponent_bits = 8,
    .mantissa_bits = 7,
    .exponent_bias = 127,
    .special_values = SpecialValues::kIeee,
    .canonical_nan = 0x7FC0,
    .source = "Intel, BFLOAT16 Hardware Numerics Definition (2018)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_BFLOAT16_H_
