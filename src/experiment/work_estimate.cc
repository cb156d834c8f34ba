#include "src/experiment/work_estimate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "src/base/checked_math.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {
namespace {

// Nobody waits for fewer: the slowest sum does them in some four seconds.
constexpr double kLeastMultiplyAdds = 1e8;

// Of each thread. The first also fetches memory and code; the second is measured only where it is a
// small part of the work.
constexpr RandomShape kPieces[] = {{2, 1024, kPanelColumns}, {16, 2048, kPanelColumns}};
constexpr double kSecondsForAnother = 2;

double Volume(std::int64_t a, std::int64_t b, std::int64_t c) {
  return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

// Returns the time of a piece, or infinity if it cannot be measured.
double SecondsOf(const RandomShape& piece, int threads, const MeasureOptions& options,
                 std::span<const NamedPolicy> policies) {
  MeasureOptions small;
  small.threads = threads;
  small.random = piece;
  small.policies.assign(policies.begin(), policies.end());
  small.metrics = options.metrics;
  small.isa = options.isa;
  const auto start = std::chrono::steady_clock::now();
  if (!Measure(small)) return std::numeric_limits<double>::infinity();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace

void EstimateWork(const MeasureOptions& options, std::span<const NamedPolicy> policies,
                  const Operands& operands, std::span<const std::int64_t> depths) {
  if (!options.estimate || !operands.activations || depths.empty()) return;
  const std::int64_t m = operands.activations->Channels();
  const std::int64_t n = operands.weights->Channels();
  double depth = 0;  // Of all products.
  for (const std::int64_t each : depths) depth += static_cast<double>(each);
  const auto count = static_cast<std::int64_t>(policies.size());
  const double multiply_adds = Volume(m, n, count) * depth;
  if (multiply_adds < kLeastMultiplyAdds) return;

  // Panels are what threads share, and as much work for few channels as for many.
  const std::int64_t panels = DivideUp(n, std::int64_t{kPanelColumns});
  const auto threads = std::clamp<std::int64_t>(options.threads, 1, panels);
  const std::int64_t in_turn = DivideUp(panels, threads);
  const std::int64_t deepest = std::ranges::max(depths);
  double seconds = 0;
  for (const RandomShape& most : kPieces) {
    const RandomShape piece = {std::min(m, most.m), std::min(deepest, most.k), most.n * threads};
    const double pieces = Volume(m, in_turn, 1) * depth / Volume(piece.m, piece.k, 1);
    seconds = SecondsOf(piece, static_cast<int>(threads), options, policies) * pieces;
    if (!std::isfinite(seconds)) return;
    if (seconds < kSecondsForAnother) break;
  }
  options.estimate({.multiply_adds = multiply_adds, .seconds = seconds});
}

}  // namespace narrowgauge::internal
