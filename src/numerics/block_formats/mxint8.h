#ifndef NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXINT8_H_
#define NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXINT8_H_

#include "narrowgauge/block_format.h"

namespace narrowgauge::internal::block_formats {

// Codes are two's complement with an implied scale of 2^-6: a code of 64 is 1.
inline constexpr BlockFormatInfo kMxInt8 = {
    .name = "mxint8",
    .family = BlockFamily::kMx,
    .block_size = 32,
    .element = DType::kInt8,
    .element_bits = 8,
    .scale_dtype = DType::kFloat8E8M0Fnu,
    .source = "OCP Microscaling Formats (MX) Specification, version 1.0, 2023",
};

}  // namespace narrowgauge::internal::block_formats

#endif  // NARROWGAUGE_NUMERICS_BLOCK_FORMATS_MXINT8_H_
