#ifndef NARROWGAUGE_NUMERICS_WIDEN_H_
#define NARROWGAUGE_NUMERICS_WIDEN_H_

#include <cstddef>
#include <cstdint>

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal {

// Writes the float32 values of elements [first, first + count) of a packed, little-endian array
// that begins at `codes` and needs no alignment. Element i is in the StorageBits bits from bit
// i * StorageBits on, bit 0 being the lowest of byte 0: of two int4 in a byte, the first is in the
// low half. tf32 is the upper 19 bits of its 32.
//
// Exact, but for float64, whose values are rounded once, to nearest even. NaN stays NaN.
void WidenToFloat32(DType dtype, const std::byte* codes, std::int64_t first, std::int64_t count,
                    float* out);

// The same from element 0 on.
inline void WidenToFloat32(DType dtype, const std::byte* codes, std::int64_t count, float* out) {
  WidenToFloat32(dtype, codes, 0, count, out);
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_WIDEN_H_
