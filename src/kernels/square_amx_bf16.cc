// The tutorial's step by AMX tiles (tdpbf16ps): per tile of 32 k the even and the odd products are
// summed apart, added, and the sum is added to the float32 accumulator; subnormals count as zero.

#include "src/kernels/square_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "src/kernels/kernels.h"

namespace narrowgauge::internal::amx_bf16 {
namespace {

#if defined(__clang__)
#pragma clang attribute push(                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,amx-tile,amx-bf16"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,amx-tile,amx-bf16,prefer-vector-width=512")
#endif

#include "src/kernels/square_avx512.inc"

constexpr std::int64_t kSide = kSquareSide;
constexpr std::int64_t kTile = 16;       // Rows of a tile, and float32 columns of a sum.
constexpr std::int64_t kTileDepth = 32;  // bfloat16 elements in a row of a tile.
constexpr std::size_t kTileRowBytes = 64;

// The operand of ldtilecfg.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Constant data, not a variable on the stack: g++ 12 believes that ldtilecfg reads only eight bytes
// of it and may leave the others unwritten.
constexpr TileConfig kTileConfig;

// Writes, for each 16 columns, the rows of pairs (a[k][n], a[k + 1][n]): one tile after another.
void PackPairs(const std::uint16_t* a, std::uint32_t* out) {
  for (std::int64_t n = 0; n < kSide; n += kTile) {
    for (std::int64_t k = 0; k < kSide; k += 2) {
      _mm512_store_si512(out, PairOf(a + k * kSide + n, a + (k + 1) * kSide + n));
      out += kTile;
    }
  }
}

// Rounds a 16 x 16 block of sums to codes.
void RoundBlock(const float* sums, std::uint16_t* out) {
  for (std::int64_t row = 0; row < kTile; ++row) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + row * kSide),
                        RoundToCodes(_mm512_load_ps(sums + row * kTile)));
  }
}

}  // namespace

void SquareBFloat16(const std::uint16_t* a, std::byte* scratch, std::uint16_t* out) {
  _tile_loadconfig(&kTileConfig);
  auto* const pairs = reinterpret_cast<std::uint32_t*>(scratch);
  PackPairs(a, pairs);
  alignas(64) float sums[4][kTile * kTile];
  constexpr std::int64_t kColumnWords = kTile * kSide / 2;  // Packed words of 16 columns.
  constexpr std::size_t kRowStride = kSide * sizeof(std::uint16_t);
  for (std::int64_t n = 0; n < kSide; n += 2 * kTile) {
    const std::uint32_t* const left = pairs + n / kTile * kColumnWords;
    const std::uint32_t* const right = left + kColumnWords;
    for (std::int64_t m = 0; m < kSide; m += 2 * kTile) {
      const std::uint16_t* const upper = a + m * kSide;
      const std::uint16_t* const lower = upper + kTile * kSide;
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
      for (std::int64_t k = 0; k < kSide; k += kTileDepth) {
        _tile_loadd(4, upper + k, kRowStride);
        _tile_loadd(6, left + k / 2 * kTile, kTileRowBytes);
        _tile_loadd(7, right + k / 2 * kTile, kTileRowBytes);
        _tile_loadd(5, lower + k, kRowStride);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
      }
      _tile_stored(0, sums[0], kTileRowBytes);
      _tile_stored(1, sums[1], kTileRowBytes);
      _tile_stored(2, sums[2], kTileRowBytes);
      _tile_stored(3, sums[3], kTileRowBytes);
      RoundBlock(sums[0], out + m * kSide + n);
      RoundBlock(sums[1], out + m * kSide + n + kTile);
      RoundBlock(sums[2], out + (m + kTile) * kSide + n);
      RoundBlock(sums[3], out + (m + kTile) * kSide + n + kTile);
    }
  }
  _tile_release();
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace narrowgauge::internal::amx_bf16

#endif  // __x86_64__
