#include <algorithm>
#include <cmath>
#include <cstddef>

#include "narrowgauge/error_metrics.h"
#include "src/base/check.h"

namespace narrowgauge {
namespace {

// Of all results that are not finite, the one with the lowest index is named: the order in which
// channels are visited is not the caller's order of elements.
void NoteNonFinite(std::int64_t index, ErrorStatistics& statistics) {
  std::int64_t& first = statistics.first_nonfinite_result;
  first = first < 0 ? index : std::min(first, index);
}

}  // namespace

void AddErrors(std::span<const double> reference, std::span<const double> value,
               std::int64_t first_index, std::int64_t stride, ErrorStatistics& statistics) {
  NG_CHECK(reference.size() == value.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i];
    const double v = value[i];
    if (!std::isfinite(v)) {
      ++statistics.nonfinite_results;
      NoteNonFinite(first_index + static_cast<std::int64_t>(i) * stride, statistics);
      continue;
    }
    const double e = v - r;
    ++statistics.count;
    statistics.max_abs = std::max(statistics.max_abs, std::abs(e));
    statistics.sum_abs += std::abs(e);
    statistics.sum_squares += e * e;
    statistics.reference_squares += r * r;
  }
}

void MergeErrors(const ErrorStatistics& part, ErrorStatistics& whole) {
  whole.count += part.count;
  whole.max_abs = std::max(whole.max_abs, part.max_abs);
  whole.sum_abs += part.sum_abs;
  whole.sum_squares += part.sum_squares;
  whole.reference_squares += part.reference_squares;
  whole.nonfinite_results += part.nonfinite_results;
  if (part.nonfinite_results > 0) NoteNonFinite(part.first_nonfinite_result, whole);
}

}  // namespace narrowgauge
