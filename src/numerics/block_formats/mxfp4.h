#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP4_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP4_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

inline constexpr BlockFormatInfo kMxFp4 = {
    .name = "mxfp4",
    .aliases = {"mxfp4_e2m1"},
    .family = BlockFamily::kMx,
    .block_size = 32,
    .element = DType::kFloat4E2M1Fn,
    .element_bits = 4,
    .scale_dtype = DType::kFloat8E8M0Fnu,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP4_H_
