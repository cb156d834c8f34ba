#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q5_0_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q5_0_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// The value is (code - 16) * scale.
inline constexpr BlockFormatInfo kQ5_0 = {
    .name = "q5_0",
    .family = BlockFamily::kGgml,
    .block_size = 32,
    .element_bits = 5,
    .scale_dtype = DType::kFloat16,
    .source = "ggml, quantize_row_q5_0_ref and block_q5_0 (ggml-quants.c, ggml-common.h)",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_Q5_0_H_
