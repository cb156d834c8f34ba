#include "benchmarks/peaks.h"

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace narrowgauge {
#if defined(__x86_64__)
namespace {

constexpr int kRounds = 1000;
constexpr int kChains = 12;  // Latency times throughput, and some to spare.

// Runs `instruction` on twelve registers of `type` in turn, kRounds times.
#define NG_TWELVE_CHAINS(type, zero, operand_type, operand, instruction)                 \
  operand_type x = operand;                                                              \
  type a = zero, b = zero, c = zero, d = zero, e = zero, f = zero;                       \
  type g = zero, h = zero, i = zero, j = zero, k = zero, l = zero;                       \
  for (int round = 0; round < kRounds; ++round) {                                        \
    __asm__ volatile(instruction " %6, %6, %0\n" instruction " %6, %6, %1\n" instruction \
                                 " %6, %6, %2\n" instruction " %6, %6, %3\n" instruction \
                                 " %6, %6, %4\n" instruction " %6, %6, %5"               \
                     : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f)              \
                     : "v"(x));                                                          \
    __asm__ volatile(instruction " %6, %6, %0\n" instruction " %6, %6, %1\n" instruction \
                                 " %6, %6, %2\n" instruction " %6, %6, %3\n" instruction \
                                 " %6, %6, %4\n" instruction " %6, %6, %5"               \
                     : "+v"(g), "+v"(h), "+v"(i), "+v"(j), "+v"(k), "+v"(l)              \
                     : "v"(x));                                                          \
  }

__attribute__((target("avx2,fma"))) void Avx2Fma() {
  NG_TWELVE_CHAINS(__m256, _mm256_setzero_ps(), __m256, _mm256_setzero_ps(), "vfmadd231ps")
}

__attribute__((target("avx512f"))) void Avx512Fma() {
  NG_TWELVE_CHAINS(__m512, _mm512_setzero_ps(), __m512, _mm512_setzero_ps(), "vfmadd231ps")
}

__attribute__((target("avx512f,avx512bf16"))) void Avx512Bf16() {
  NG_TWELVE_CHAINS(__m512, _mm512_setzero_ps(), __m512, _mm512_setzero_ps(), "vdpbf16ps")
}

__attribute__((target("avx512f,avx512vnni"))) void Avx512Vnni() {
  NG_TWELVE_CHAINS(__m512i, _mm512_setzero_si512(), __m512i, _mm512_setzero_si512(), "vpdpbusd")
}

// vpmaddwd and the addition of what it gives.
__attribute__((target("avx2"))) void Avx2PairsOfInt16() {
  const __m256i zero = _mm256_setzero_si256();
  __m256i sums[kChains] = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
  for (int round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (__m256i& sum : sums) {
      __m256i product;
      __asm__ volatile("vpmaddwd %2, %2, %1\nvpaddd %1, %0, %0"
                       : "+x"(sum), "=&x"(product)
                       : "x"(zero));
    }
  }
}

// Four accumulators of 16 x 16, the most that leave room for operands.
__attribute__((target("amx-tile,amx-bf16"))) void AmxBf16() {
  // Static, since g++ 12 believes that ldtilecfg reads only eight bytes of it.
  static constexpr struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } config;
  _tile_loadconfig(&config);
  for (int round = 0; round < kRounds; ++round) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
}

constexpr Peak kPeaks[] = {
    {"avx2_fma_float32", InstructionSet::kAvx2, Avx2Fma, 16.0 * kChains* kRounds},
    {"avx2_vpmaddwd", InstructionSet::kAvx2, Avx2PairsOfInt16, 32.0 * kChains* kRounds},
    {"avx512_fma_float32", InstructionSet::kAvx512, Avx512Fma, 32.0 * kChains* kRounds},
    {"avx512_vpdpbusd", InstructionSet::kAvx512Vnni, Avx512Vnni, 128.0 * kChains* kRounds},
    {"vdpbf16ps", InstructionSet::kAvx512Bf16, Avx512Bf16, 64.0 * kChains* kRounds},
    {"tdpbf16ps", InstructionSet::kAmxBf16, AmxBf16, 2.0 * 16 * 16 * 32 * 4 * kRounds},
};

}  // namespace

std::span<const Peak> AllPeaks() { return kPeaks; }
#else
std::span<const Peak> AllPeaks() { return {}; }
#endif
}  // namespace narrowgauge
