#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_NVFP4_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_NVFP4_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// The value is code * block scale * tensor scale.
inline constexpr BlockFormatInfo kNvFp4 = {
    .name = "nvfp4",
    .aliases = {"nvfp4_e2m1"},
    .family = BlockFamily::kNvFp4,
    .block_size = 16,
    .element = DType::kFloat4E2M1Fn,
    .element_bits = 4,
    .scale_dtype = DType::kFloat8E4M3Fn,
    .tensor_scale_dtype = DType::kFloat32,
    .source = "NVIDIA, Pretraining Large Language Models with NVFP4, arXiv:2509.25149 (2025)",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_NVFP4_H_
