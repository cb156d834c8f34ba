#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q8_0_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q8_0_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// The value is code * scale.
inline constexpr BlockFormatInfo kQ8_0 = {
    .name = "q8_0",
    .family = BlockFamily::kGgml,
    .block_size = 32,
    .element = DType::kInt8,
    .element_bits = 8,
    .scale_dtype = DType::kFloat16,
    .source = "ggml, quantize_row_q8_0_ref and block_q8_0 (ggml-quants.c, ggml-common.h)",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q8_0_H_
