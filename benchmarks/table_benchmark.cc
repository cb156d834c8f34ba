// The tutorial's table, warm: two matrices of normals, three products, int8 codes, six errors.

#include <benchmark/benchmark.h>

#include "benchmarks/every_instruction_set.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/report.h"

namespace narrowgauge {
namespace {

// What JAX prints for seed 0.
bool IsRight(const PrecisionTable& table) {
  constexpr double kMax[] = {0.03718, 0.05545, 0.12516};
  constexpr double kMean[] = {0.00756, 0.00912, 0.02322};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (PythonRound(static_cast<double>(table.rows[row].max_abs_err), 5) != kMax[row]) return false;
    if (PythonRound(static_cast<double>(table.rows[row].mean_abs_err), 5) != kMean[row])
      return false;
  }
  return true;
}

void Table(benchmark::State& state, InstructionSet isa) {
  if (!IsRight(EvaluatePrecisionPolicies(0, {.isa = isa}))) {
    state.SkipWithError("the table is wrong");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(EvaluatePrecisionPolicies(0, {.isa = isa}));
  }
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::ForEveryInstructionSet("precision_table", narrowgauge::Table);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
