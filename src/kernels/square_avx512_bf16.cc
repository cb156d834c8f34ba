// The tutorial's step by vdpbf16ps: per pair of k the odd product first, then the even one, each
// fused into the float32 sum; subnormal operands and sums count as zero, whatever MXCSR says.

#include "src/kernels/square_x86.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "src/kernels/kernels.h"

namespace narrowgauge::internal::avx512_bf16 {
namespace {

#if defined(__clang__)
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,prefer-vector-width=512")
#endif

#include "src/kernels/square_avx512.inc"

constexpr std::int64_t kSide = kSquareSide;
constexpr std::int64_t kRows = 8;
constexpr std::size_t kVectors = 3;
constexpr std::int64_t kLanes = 16;

// Writes out[k / 2][n] = the pair (a[k][n], a[k + 1][n]), the operand form of vdpbf16ps.
void InterleaveRows(const std::uint16_t* a, std::uint32_t* out) {
  for (std::int64_t k = 0; k < kSide; k += 2) {
    for (std::int64_t n = 0; n < kSide; n += kLanes) {
      _mm512_storeu_si512(out + k / 2 * kSide + n,
                          PairOf(a + k * kSide + n, a + (k + 1) * kSide + n));
    }
  }
}

template <std::size_t kTileVectors>
void Tile(const std::uint16_t* a, const std::uint32_t* pairs, std::uint16_t* out) {
  __m512 sums[kRows][kTileVectors];
#pragma GCC unroll 16
  for (auto& row : sums) {
#pragma GCC unroll 4
    for (auto& sum : row) sum = _mm512_setzero_ps();
  }
  for (std::int64_t k = 0; k < kSide; k += 2) {
    __m512bh w[kTileVectors];
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < static_cast<std::int64_t>(kTileVectors); ++v) {
      w[v] = __builtin_bit_cast(__m512bh, _mm512_loadu_si512(pairs + k / 2 * kSide + v * kLanes));
    }
#pragma GCC unroll 16
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::uint32_t pair;
      std::memcpy(&pair, a + row * kSide + k, sizeof pair);
      const auto x = __builtin_bit_cast(__m512bh, _mm512_set1_epi32(std::bit_cast<int>(pair)));
#pragma GCC unroll 4
      for (std::int64_t v = 0; v < static_cast<std::int64_t>(kTileVectors); ++v)
        sums[row][v] = _mm512_dpbf16_ps(sums[row][v], x, w[v]);
    }
  }
#pragma GCC unroll 16
  for (std::int64_t row = 0; row < kRows; ++row) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < static_cast<std::int64_t>(kTileVectors); ++v) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + row * kSide + v * kLanes),
                          RoundToCodes(sums[row][v]));
    }
  }
}

}  // namespace

void SquareBFloat16(const std::uint16_t* a, std::byte* scratch, std::uint16_t* out) {
  auto* const pairs = reinterpret_cast<std::uint32_t*>(scratch);
  InterleaveRows(a, pairs);
  std::int64_t n = 0;
  constexpr std::int64_t kTileColumns = static_cast<std::int64_t>(kVectors) * kLanes;
  for (; n + kTileColumns <= kSide; n += kTileColumns) {
    for (std::int64_t m = 0; m < kSide; m += kRows) {
      Tile<kVectors>(a + m * kSide, pairs + n, out + m * kSide + n);
    }
  }
  for (; n < kSide; n += kLanes) {
    for (std::int64_t m = 0; m < kSide; m += kRows) {
      Tile<1>(a + m * kSide, pairs + n, out + m * kSide + n);
    }
  }
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

}  // namespace narrowgauge::internal::avx512_bf16

#endif  // __x86_64__
