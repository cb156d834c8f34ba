// What one core can do at most: independent multiply-adds that never leave the registers. The other
// benchmarks are read as shares of these.

#include <benchmark/benchmark.h>

#include <cstdint>

#include "narrowgauge/instruction_set.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace narrowgauge {
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

struct Limit {
  const char* name;
  InstructionSet isa;
  void (*run)();
  double flop;  // Of one call.
};

constexpr Limit kLimits[] = {
    {"peak/avx2_fma_float32", InstructionSet::kAvx2, Avx2Fma, 16.0 * kChains* kRounds},
    {"peak/avx512_fma_float32", InstructionSet::kAvx512, Avx512Fma, 32.0 * kChains* kRounds},
    {"peak/vdpbf16ps", InstructionSet::kAvx512Bf16, Avx512Bf16, 64.0 * kChains* kRounds},
    {"peak/tdpbf16ps", InstructionSet::kAmxBf16, AmxBf16, 2.0 * 16 * 16 * 32 * 4 * kRounds},
};

void Peak(benchmark::State& state, const Limit* limit) {
  for (auto _ : state) limit->run();
  state.counters["FLOP/s"] =
      benchmark::Counter(limit->flop, benchmark::Counter::kIsIterationInvariantRate);
}

void RegisterLimits() {
  for (const Limit& limit : kLimits) {
    for (const InstructionSet isa : SupportedInstructionSets()) {
      if (isa == limit.isa) {
        benchmark::RegisterBenchmark(limit.name, Peak, &limit)->Unit(benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge
#else
namespace narrowgauge {
namespace {
void RegisterLimits() {}
}  // namespace
}  // namespace narrowgauge
#endif

int main(int argc, char** argv) {
  narrowgauge::RegisterLimits();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
