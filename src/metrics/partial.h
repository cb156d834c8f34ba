#ifndef NARROWGAUGE_METRICS_PARTIAL_H_
#define NARROWGAUGE_METRICS_PARTIAL_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

// The basic statistics of one partial, at most ErrorStatistics::kPartialLength elements, of finite
// float32 data: no scaling is needed. What the kernels error_sums and sum_squares return, and what
// PlainPartial defines.
struct PartialSums {
  std::int64_t count = 0;
  double max_abs = 0;            // max |e|
  double sum_abs = 0;            // sum |e|
  double sum_squares = 0;        // sum e^2
  double reference_squares = 0;  // sum r^2
};

// Calls add(i, its lane's sum) for i < n and returns the sum of the lanes, in the order that
// ErrorStatistics defines.
template <typename Add>
[[nodiscard]] double AddInLanes(std::size_t n, Add add) {
  constexpr auto kLanes = static_cast<std::size_t>(ErrorStatistics::kLanes);
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) lanes[i % kLanes] = add(i, lanes[i % kLanes]);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  return lanes[0];
}

// Returns the sum over i < n of term(i).
template <typename Term>
[[nodiscard]] double SumInLanes(std::size_t n, Term term) {
  return AddInLanes(n, [&](std::size_t i, double sum) { return sum + term(i); });
}

// Returns the sum over i < n of a(i) * b(i), fused.
template <typename Left, typename Right>
[[nodiscard]] double SumOfProductsInLanes(std::size_t n, Left a, Right b) {
  return AddInLanes(n, [&](std::size_t i, double sum) { return std::fma(a(i), b(i), sum); });
}

// Lowers `first` to `index`; -1 stands for none. Of all indices the lowest is named: the order in
// which channels are visited is not the caller's order of elements.
inline void LowerIndex(std::int64_t index, std::int64_t& first) {
  if (index >= 0) first = first < 0 ? index : std::min(first, index);
}

// Returns the sums of one partial; its bits are those of AddErrors. All values must be finite.
[[nodiscard]] PartialSums PlainPartial(std::span<const float> reference,
                                       std::span<const float> value);

// Adds a sum after what `whole` has seen.
inline void MergeSum(const ScaledSum& part, ScaledSum& whole) {
  if (part.value == 0) return;
  if (whole.value == 0) {
    whole = part;
  } else if (part.exponent == whole.exponent) {  // Nearly always.
    whole.value += part.value;
  } else {
    const int exponent = std::max(part.exponent, whole.exponent);
    whole = {std::ldexp(whole.value, whole.exponent - exponent) +
                 std::ldexp(part.value, part.exponent - exponent),
             exponent};
  }
}

// Adds a partial after what `statistics` has seen.
void AddPartial(const PartialSums& partial, ErrorStatistics& statistics);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_PARTIAL_H_
