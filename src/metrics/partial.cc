#include "src/metrics/partial.h"

#include <algorithm>
#include <cmath>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

// Returns the index of the first element that `is` holds for; one must exist.
template <typename Predicate>
std::int64_t FirstIndex(std::span<const float> reference, std::span<const float> value,
                        std::int64_t first_index, std::int64_t stride, Predicate is) {
  std::size_t i = 0;
  while (!is(static_cast<double>(reference[i]), static_cast<double>(value[i]))) {
    ++i;
    NG_CHECK(i < value.size());
  }
  return first_index + static_cast<std::int64_t>(i) * stride;
}

}  // namespace

PartialSums PlainPartial(std::span<const float> reference, std::span<const float> value) {
  NG_CHECK(reference.size() == value.size());
  NG_CHECK(value.size() <= static_cast<std::size_t>(ErrorStatistics::kPartialLength));
  PartialSums sums;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (!std::isfinite(value[i])) {
      ++sums.nonfinite_results;
      continue;
    }
    const auto r = static_cast<double>(reference[i]);
    const auto v = static_cast<double>(value[i]);
    ++sums.count;
    sums.max_abs = std::max(sums.max_abs, std::abs(v - r));
    if (IsFlushed(r, v)) ++sums.flushed_to_zero;
    if (IsFlipped(r, v)) ++sums.sign_flipped;
  }
  const auto error = [&](std::size_t i) {
    return std::isfinite(value[i])
               ? static_cast<double>(value[i]) - static_cast<double>(reference[i])
               : 0.0;
  };
  const auto signal = [&](std::size_t i) {
    return std::isfinite(value[i]) ? static_cast<double>(reference[i]) : 0.0;
  };
  const std::size_t n = value.size();
  sums.sum_abs = SumInLanes(n, [&](std::size_t i) { return std::abs(error(i)); });
  sums.sum_squares = SumInLanes(n, [&](std::size_t i) { return error(i) * error(i); });
  sums.reference_squares = SumInLanes(n, [&](std::size_t i) { return signal(i) * signal(i); });
  return sums;
}

void AddPartial(const PartialSums& partial, ErrorStatistics& statistics) {
  ErrorStatistics part{.count = partial.count,
                       .max_abs = partial.max_abs,
                       .sum_abs = {partial.sum_abs},
                       .sum_squares = {partial.sum_squares},
                       .reference_squares = {partial.reference_squares},
                       .nonfinite_results = partial.nonfinite_results,
                       .flushed_to_zero = partial.flushed_to_zero,
                       .sign_flipped = partial.sign_flipped};
  if (partial.count > 0) part.covered = ErrorNeeds::kBasic;
  MergeErrors(part, statistics);
}

void NoteFirstIndices(const PartialSums& partial, std::span<const float> reference,
                      std::span<const float> value, std::int64_t first_index, std::int64_t stride,
                      ErrorStatistics& statistics) {
  const auto note = [&](std::int64_t count, std::int64_t& first, auto is) {
    if (count > 0) LowerIndex(FirstIndex(reference, value, first_index, stride, is), first);
  };
  note(partial.nonfinite_results, statistics.first_nonfinite_result,
       [](double, double v) { return !std::isfinite(v); });
  note(partial.flushed_to_zero, statistics.first_flushed_to_zero, IsFlushed);
  note(partial.sign_flipped, statistics.first_sign_flipped,
       [](double r, double v) { return std::isfinite(v) && IsFlipped(r, v); });
}

}  // namespace narrowgauge::internal
