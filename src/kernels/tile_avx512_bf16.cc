// The tile kernel by vdpbf16ps.

#include "src/kernels/tile_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace narrowgauge::internal::avx512_bf16 {
namespace {

#if defined(__clang__)
#pragma clang attribute push(                                                             \
    __attribute__((                                                                       \
        target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512bf16"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512bf16,prefer-vector-width=512")
#endif

#include "src/kernels/vector_avx512.inc"

#include "src/kernels/vector_memory.inc"

#include "src/kernels/tile.inc"

struct BFloat16Pairs {
  static U32 MultiplyAdd(U32 sums, U32 x, U32 w) {
    return __builtin_bit_cast(
        U32, _mm512_dpbf16_ps(__builtin_bit_cast(__m512, sums), __builtin_bit_cast(__m512bh, x),
                              __builtin_bit_cast(__m512bh, w)));
  }
};

}  // namespace

extern constexpr TileKernel kBFloat16Tile = {MultiplyBlock<BFloat16Pairs>, kTileColumns, kTileRows};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace narrowgauge::internal::avx512_bf16

#endif  // __x86_64__
