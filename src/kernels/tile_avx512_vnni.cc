// The tile kernel by vpdpbusd, which multiplies unsigned by signed bytes.

#include "src/kernels/tile_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace narrowgauge::internal::avx512_vnni {
namespace {

#if defined(__clang__)
#pragma clang attribute push(                                                             \
    __attribute__((                                                                       \
        target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
    "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,prefer-vector-width=512")
#endif

#include "src/kernels/vector_avx512.inc"

#include "src/kernels/vector_memory.inc"

#include "src/kernels/tile.inc"

struct Uint8ByInt8 {
  static U32 MultiplyAdd(U32 sums, U32 x, U32 w) {
    return __builtin_bit_cast(
        U32, _mm512_dpbusd_epi32(__builtin_bit_cast(__m512i, sums), __builtin_bit_cast(__m512i, x),
                                 __builtin_bit_cast(__m512i, w)));
  }
};

}  // namespace

extern constexpr TileKernel kUint8Tile = {MultiplyBlock<Uint8ByInt8>, kTileColumns, kTileRows};

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace narrowgauge::internal::avx512_vnni

#endif  // __x86_64__
