// What one core can do at most. The other benchmarks are read as shares of these.

#include <benchmark/benchmark.h>

#include <string>

#include "benchmarks/peaks.h"

namespace narrowgauge {
namespace {

void RegisterLimits() {
  const InstructionSet best = SupportedInstructionSets().back();
  for (const Peak& peak : AllPeaks()) {
    if (peak.isa > best) continue;
    const auto run = [&peak](benchmark::State& state) {
      for (auto _ : state) peak.run();
      state.counters["FLOP/s"] =
          benchmark::Counter(peak.operations, benchmark::Counter::kIsIterationInvariantRate);
    };
    benchmark::RegisterBenchmark(("peak/" + std::string(peak.name)).c_str(), run)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::RegisterLimits();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
