#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_1_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_1_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// The value is code * scale + minimum.
inline constexpr BlockFormatInfo kQ4_1 = {
    .name = "q4_1",
    .family = BlockFamily::kGgml,
    .block_size = 32,
    .element = DType::kUint4,
    .element_bits = 4,
    .scale_dtype = DType::kFloat16,
    .scales_per_block = 2,
    .source = "ggml, quantize_row_q4_1_ref and block_q4_1 (ggml-quants.c, ggml-common.h)",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q4_1_H_
