#ifndef NARROWGAUGE_KERNELS_SQUARE_X86_H_
#define NARROWGAUGE_KERNELS_SQUARE_X86_H_

#include <cstddef>
#include <cstdint>

// square_bfloat16 by the bfloat16 instructions of x86; see kernels.inc for the arguments.

#if defined(__x86_64__)

namespace narrowgauge::internal::avx512_bf16 {
void SquareBFloat16(const std::uint16_t* a, std::byte* scratch, std::uint16_t* out);
}

namespace narrowgauge::internal::amx_bf16 {
void SquareBFloat16(const std::uint16_t* a, std::byte* scratch, std::uint16_t* out);
}

#endif  // __x86_64__

#endif  // NARROWGAUGE_KERNELS_SQUARE_X86_H_
