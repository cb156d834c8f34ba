#ifndef NARROWGAUGE_EXPERIMENT_NONFINITE_H_
#define NARROWGAUGE_EXPERIMENT_NONFINITE_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "narrowgauge/experiment.h"

namespace narrowgauge::internal {

// Counts what is not finite among values whose flat index is first + i * stride.
template <typename T>
NonFinite CountNonFinite(std::span<const T> values, std::int64_t first, std::int64_t stride) {
  NonFinite found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    ++(std::isnan(values[i]) ? found.nan_count : found.inf_count);
    const std::int64_t index = first + static_cast<std::int64_t>(i) * stride;
    if (found.first_index < 0) found.first_index = index;
  }
  found.lines_left_out = found.first_index >= 0 ? 1 : 0;
  return found;
}

inline void MergeNonFinite(const NonFinite& part, NonFinite& whole) {
  whole.nan_count += part.nan_count;
  whole.inf_count += part.inf_count;
  whole.lines_left_out += part.lines_left_out;
  if (part.first_index >= 0 && (whole.first_index < 0 || part.first_index < whole.first_index)) {
    whole.first_index = part.first_index;
  }
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_NONFINITE_H_
