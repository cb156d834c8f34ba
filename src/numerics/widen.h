#ifndef NARROWGAUGE_NUMERICS_WIDEN_H_
#define NARROWGAUGE_NUMERICS_WIDEN_H_

#include <cstddef>
#include <cstdint>

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal {

// Writes the float32 values of `count` little-endian codes, which need no alignment. Exact: `dtype`
// is float32 or a format of 8 or 16 bits, whose values float32 holds. NaN stays NaN.
void WidenToFloat32(DType dtype, const std::byte* codes, std::int64_t count, float* out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_WIDEN_H_
