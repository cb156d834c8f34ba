#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E4M3_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E4M3_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

inline constexpr BlockFormatInfo kMxFp8E4M3 = {
    .name = "mxfp8_e4m3",
    .aliases = {"mxfp8"},
    .family = BlockFamily::kMx,
    .block_size = 32,
    .element = DType::kFloat8E4M3Fn,
    .element_bits = 8,
    .scale_dtype = DType::kFloat8E8M0Fnu,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E4M3_H_
