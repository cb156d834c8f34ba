#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_0_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_0_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// The value is (code - 8) * scale.
inline constexpr BlockFormatInfo kQ4_0 = {
    .name = "q4_0",
    .family = BlockFamily::kGgml,
    .block_size = 32,
    .element = DType::kUint4,
    .element_bits = 4,
    .scale_dtype = DType::kFloat16,
    .source = "ggml, quantize_row_q4_0_ref and block_q4_0 (ggml-quants.c, ggml-common.h)",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_0_H_
