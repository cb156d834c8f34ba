#include "src/metrics/partial.h"

#include "src/base/check.h"

namespace narrowgauge::internal {

PartialSums PlainPartial(std::span<const float> reference, std::span<const float> value) {
  NG_CHECK(reference.size() == value.size());
  NG_CHECK(value.size() <= static_cast<std::size_t>(ErrorStatistics::kPartialLength));
  const std::size_t n = value.size();
  const auto signal = [&](std::size_t i) { return static_cast<double>(reference[i]); };
  const auto error = [&](std::size_t i) { return static_cast<double>(value[i]) - signal(i); };
  PartialSums sums{.count = static_cast<std::int64_t>(n)};
  for (std::size_t i = 0; i < n; ++i) sums.max_abs = std::max(sums.max_abs, std::abs(error(i)));
  sums.sum_abs = SumInLanes(n, [&](std::size_t i) { return std::abs(error(i)); });
  sums.sum_squares = SumOfProductsInLanes(n, error, error);
  sums.reference_squares = SumOfProductsInLanes(n, signal, signal);
  return sums;
}

void AddPartial(const PartialSums& partial, ErrorStatistics& statistics) {
  statistics.count += partial.count;
  statistics.max_abs = std::max(statistics.max_abs, partial.max_abs);
  MergeSum({partial.sum_abs}, statistics.sum_abs);
  MergeSum({partial.sum_squares}, statistics.sum_squares);
  MergeSum({partial.reference_squares}, statistics.reference_squares);
  if (partial.count > 0) statistics.covered = ErrorNeeds::kBasic;
}

}  // namespace narrowgauge::internal
