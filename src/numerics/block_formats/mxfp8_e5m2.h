#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E5M2_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E5M2_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

inline constexpr BlockFormatInfo kMxFp8E5M2 = {
    .name = "mxfp8_e5m2",
    .aliases = {"mxfp8"},
    .family = BlockFamily::kMx,
    .block_size = 32,
    .element = DType::kFloat8E5M2,
    .element_bits = 8,
    .scale_dtype = DType::kFloat8E8M0Fnu,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXFP8_E5M2_H_
