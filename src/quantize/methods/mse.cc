#include "src/quantize/methods/methods.h"

namespace narrowgauge::internal {
namespace {

constexpr int kSteps = 64;

double SumOfSquares(const GroupRules& rules, const Range& range, std::span<const double> elements) {
  const GroupScale scale = FindScale(rules.spec, rules.grid, range, rules.tensor_scale);
  double sum = 0;
  for (const double element : elements) {
    const double error =
        static_cast<double>(QuantizeElement(rules, scale, element).value) - element;
    sum += error * error;
  }
  return sum;
}

// Of the whole range times 64/64, 63/64, ... 1/64 the one with the least sum of squared errors, in
// float64 and in the order of the elements; of equals the largest. Stochastic rounding is judged by
// what its random bits 0 give.
Range Find(const GroupRules& rules, std::span<const double> elements) {
  const Range whole = kAbsmaxMethod.find(rules, elements);
  Range best = whole;
  if (whole.empty || whole.Absmax() == 0) return whole;
  double least = SumOfSquares(rules, whole, elements);
  for (int step = kSteps - 1; step > 0; --step) {
    const double share = static_cast<double>(step) / kSteps;
    const Range candidate{whole.low * share, whole.high * share, false};
    const double sum = SumOfSquares(rules, candidate, elements);
    if (sum < least) {
      least = sum;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

const RangeMethodInfo kMseMethod = {RangeMethod::kMse, "mse", false, Find};

}  // namespace narrowgauge::internal
