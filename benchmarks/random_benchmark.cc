// normal(key, (2^20,)): bits and normals together.

#include <benchmark/benchmark.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmarks/every_instruction_set.h"
#include "narrowgauge/random.h"

namespace narrowgauge {
namespace {

constexpr std::size_t kCount = std::size_t{1} << 20;
constexpr std::uint32_t kFirstOfJax = 0x3FCFB2BD;  // tests/golden/normal.json, seed 0

void Normals(benchmark::State& state, InstructionSet isa) {
  const PrngKey key = MakePrngKey(0);
  std::vector<float> out(kCount);
  Normal(key, ThreefryLayout::kPartitionable, DefaultNumericsProfile(), out, isa);
  if (std::bit_cast<std::uint32_t>(out[0]) != kFirstOfJax) {
    state.SkipWithError("not JAX's normals");
    return;
  }
  for (auto _ : state) {
    Normal(key, ThreefryLayout::kPartitionable, DefaultNumericsProfile(), out, isa);
    benchmark::ClobberMemory();
  }
  state.counters["ns/value"] = benchmark::Counter(
      static_cast<double>(kCount) * 1e-9,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::ForEveryInstructionSet("normal_2^20", narrowgauge::Normals);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
