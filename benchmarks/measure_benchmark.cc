// Quantise and measure: the errors of the weights after quantisation, for a resident float32 matrix
// of N = 4096 channels of K = 4096 elements, 64 MiB, by what `measure --error weights` calls. Its
// limit is a scan of the same matrix by the same threads: run_absmax, which reads each element
// once.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/huge_array.h"
#include "benchmarks/turns.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/random.h"
#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"

namespace narrowgauge {
namespace {

constexpr std::int64_t kDepth = 4096;
constexpr std::int64_t kChannels = 4096;
constexpr std::int64_t kBlock = 64;  // Channels that one thread takes at a time.
constexpr int kTurns = 15;

std::span<const float> Matrix() {
  static const HugeArray<float> matrix = [] {
    HugeArray<float> values(static_cast<std::size_t>(kDepth * kChannels));
    Normal(MakePrngKey(0), ThreefryLayout::kPartitionable, DefaultNumericsProfile(), values.Span(),
           SupportedInstructionSets().back());
    return values;
  }();
  return matrix.Span();
}

void Scan(const internal::Kernels& kernels, int threads) {
  internal::ParallelFor(kChannels / kBlock, threads, [&](std::int64_t block) {
    std::array<float, kBlock> absmax;
    kernels.run_absmax(Matrix().data() + block * kBlock * kDepth, kBlock * kDepth, kDepth,
                       absmax.data());
    benchmark::DoNotOptimize(absmax);
  });
}

enum class Metrics { kThree, kDefault };

MeasureOptions OptionsOf(const NamedPolicy& policy, Metrics metrics, InstructionSet isa,
                         int threads) {
  MeasureOptions options;
  options.error_of = ErrorOf::kWeights;
  options.policies = {policy};
  options.matrix =
      MatrixView{{DType::kFloat32, {kChannels, kDepth}, std::as_bytes(Matrix())}, KAxis::kLast};
  if (metrics == Metrics::kThree) {
    for (const Metric& metric : AllMetrics()) {
      if (metric.name == "max_abs_err" || metric.name == "mean_abs_err" ||
          metric.name == "sqnr_db") {
        options.metrics.push_back(&metric);
      }
    }
  }
  options.isa = isa;
  options.threads = threads;
  return options;
}

// Whether two measurements agree to the bit.
bool AreSame(const ErrorStatistics& a, const ErrorStatistics& b) {
  return a.count == b.count && a.max_abs == b.max_abs && a.sum_abs.value == b.sum_abs.value &&
         a.sum_squares.value == b.sum_squares.value &&
         a.reference_squares.value == b.reference_squares.value;
}

// What Case measures; the baseline's numbers are found once, on a few channels.
struct Case {
  NamedPolicy policy;
  Metrics metrics;
  InstructionSet isa;
  int threads;
};

bool IsRight(const Case& c) {
  constexpr std::int64_t kSample = 8;
  const auto on_sample = [&](InstructionSet isa) {
    MeasureOptions options = OptionsOf(c.policy, c.metrics, isa, c.threads);
    options.matrix->tensor.shape = {kSample, kDepth};
    options.matrix->tensor.bytes =
        std::as_bytes(Matrix().first(static_cast<std::size_t>(kSample * kDepth)));
    return Measure(options);
  };
  const auto expected = on_sample(InstructionSet::kBaseline);
  const auto found = on_sample(c.isa);
  return expected && found && AreSame(expected->rows[0].statistics, found->rows[0].statistics) &&
         expected->rows[0].weight_counts == found->rows[0].weight_counts;
}

void QuantizeAndMeasure(benchmark::State& state, const Case& c) {
  if (!IsRight(c)) {
    state.SkipWithError("not the numbers of the baseline");
    return;
  }
  const MeasureOptions options = OptionsOf(c.policy, c.metrics, c.isa, c.threads);
  const internal::Kernels& kernels = internal::KernelsFor(c.isa);
  Turns turns;
  for (auto _ : state) {
    state.SetIterationTime(turns.Take([&] { Scan(kernels, c.threads); },
                                      [&] { benchmark::DoNotOptimize(Measure(options)); }));
  }
  turns.Report(4.0 * kDepth * kChannels, state);
}

void RegisterCases() {
  std::vector<NamedPolicy> policies;
  for (const char* const preset : {"weights", "mx"}) {
    const auto found = FindPreset(preset).value();
    policies.insert(policies.end(), found.begin(), found.end());
  }
  for (const InstructionSet isa : SupportedInstructionSets()) {
    if (isa != InstructionSet::kAvx2 && isa != InstructionSet::kAvx512) continue;
    for (const auto& [metrics, threads] :
         {std::pair(Metrics::kThree, 1), std::pair(Metrics::kThree, 2),
          std::pair(Metrics::kDefault, 1)}) {
      for (const NamedPolicy& policy : policies) {
        const std::string name =
            fmt::format("measure/{}/{}/{}/threads:{}", policy.name, InstructionSetName(isa),
                        metrics == Metrics::kThree ? "three_metrics" : "default_metrics", threads);
        const Case c{policy, metrics, isa, threads};
        benchmark::RegisterBenchmark(name.c_str(),
                                     [c](benchmark::State& state) { QuantizeAndMeasure(state, c); })
            ->Unit(benchmark::kMillisecond)
            ->UseManualTime()
            ->Iterations(kTurns);
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::RegisterCases();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
