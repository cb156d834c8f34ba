#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP6_E2M3_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP6_E2M3_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

inline constexpr BlockFormatInfo kMxFp6E2M3 = {
    .name = "mxfp6_e2m3",
    .aliases = {"mxfp6"},
    .family = BlockFamily::kMx,
    .block_size = 32,
    .element = DType::kFloat6E2M3Fn,
    .element_bits = 6,
    .scale_dtype = DType::kFloat8E8M0Fnu,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP6_E2M3_H_
