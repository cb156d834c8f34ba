// The tutorial's step, x = bfloat16(x * x) for 256 x 256, packing included, on one core.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "benchmarks/every_instruction_set.h"
#include "src/backends/tutorial_step.h"

namespace narrowgauge {
namespace {

using internal::Bf16SquareStep;

constexpr std::uint16_t kOne = 0x3F80;
constexpr std::uint16_t k256 = 0x4380;
constexpr double kFlop =
    2.0 * Bf16SquareStep::kSize * Bf16SquareStep::kSize * Bf16SquareStep::kSize;

void Step(benchmark::State& state, InstructionSet isa) {
  Bf16SquareStep step(isa);
  const std::vector<std::uint16_t> x(Bf16SquareStep::kElements, kOne);
  std::vector<std::uint16_t> out(x.size());
  step.Run(x, out);
  if (!std::all_of(out.begin(), out.end(), [](std::uint16_t code) { return code == k256; })) {
    state.SkipWithError("ones squared are not 256");
    return;
  }
  for (auto _ : state) {
    step.Run(x, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetLabel(std::string(step.KernelName()));
  state.counters["FLOP/s"] =
      benchmark::Counter(kFlop, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::ForEveryInstructionSet("square_256_bfloat16", narrowgauge::Step);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
