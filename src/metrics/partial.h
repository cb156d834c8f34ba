#ifndef NARROWGAUGE_METRICS_PARTIAL_H_
#define NARROWGAUGE_METRICS_PARTIAL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

// The basic statistics of one partial, at most ErrorStatistics::kPartialLength elements, of float32
// data: no scaling is needed. What a fast kernel returns, and what PlainPartial defines.
struct PartialSums {
  double max_abs = 0;            // max |e|
  double sum_abs = 0;            // sum |e|
  double sum_squares = 0;        // sum e^2
  double reference_squares = 0;  // sum r^2
  std::int64_t count = 0;        // Elements whose v is finite: those above and below are over them.
  std::int64_t flushed_to_zero = 0;    // r != 0, v == 0
  std::int64_t sign_flipped = 0;       // r v < 0
  std::int64_t nonfinite_results = 0;  // v not finite.
};

// Returns the sum over i < n of term(i), in the order that ErrorStatistics defines.
template <typename Term>
[[nodiscard]] double SumInLanes(std::size_t n, Term term) {
  constexpr auto kLanes = static_cast<std::size_t>(ErrorStatistics::kLanes);
  double lanes[kLanes] = {};
  for (std::size_t i = 0; i < n; ++i) lanes[i % kLanes] += term(i);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
  }
  return lanes[0];
}

// r != 0, v == 0.
[[nodiscard]] constexpr bool IsFlushed(double r, double v) { return r != 0 && v == 0; }

// r v < 0, also where that product underflows.
[[nodiscard]] constexpr bool IsFlipped(double r, double v) {
  return (r < 0 && v > 0) || (r > 0 && v < 0);
}

// Lowers `first` to `index`; -1 stands for none. Of all indices the lowest is named: the order in
// which channels are visited is not the caller's order of elements.
inline void LowerIndex(std::int64_t index, std::int64_t& first) {
  if (index >= 0) first = first < 0 ? index : std::min(first, index);
}

// Returns the sums of one partial; its bits are those of AddErrors. Every r must be finite. e = v -
// r is rounded to float64; max is exact; each product is rounded before it is added.
[[nodiscard]] PartialSums PlainPartial(std::span<const float> reference,
                                       std::span<const float> value);

// Adds a partial after what `statistics` has seen. The indices of what it counted are
// NoteFirstIndices' task.
void AddPartial(const PartialSums& partial, ErrorStatistics& statistics);

// Lowers first_nonfinite_result, first_flushed_to_zero and first_sign_flipped to those of a
// partial. Reads no further than to the first of each that `partial` counted. stride >= 0.
void NoteFirstIndices(const PartialSums& partial, std::span<const float> reference,
                      std::span<const float> value, std::int64_t first_index, std::int64_t stride,
                      ErrorStatistics& statistics);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_PARTIAL_H_
