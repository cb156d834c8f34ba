#ifndef NARROWGAUGE_ERROR_METRICS_H_
#define NARROWGAUGE_ERROR_METRICS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/status.h"

namespace narrowgauge {

// Sufficient statistics of e = v - r over some elements, in float64: all that the metrics need,
// small enough to keep one per output channel. r is the reference, v the value under judgement.
//
// Sums are formed over partials of kPartialLength consecutive elements of one channel, merged along
// the channel, then over channels in order, so that threads and tiles cannot change a bit.
struct ErrorStatistics {
  static constexpr std::int64_t kPartialLength = 1024;

  std::int64_t count = 0;
  double max_abs = 0;                        // max |e|
  double sum_abs = 0;                        // sum |e|
  double sum_squares = 0;                    // sum e^2
  double reference_squares = 0;              // sum r^2
  std::int64_t nonfinite_results = 0;        // v not finite although r is.
  std::int64_t first_nonfinite_result = -1;  // Lowest index of one, as the caller counts.
};

// Adds n elements to `statistics`, left to right; element i has index first_index + i * stride.
// Float64 sums of squares cannot overflow for float32 operands. r must be finite; a v that is not
// is counted and adds to nothing else.
void AddErrors(std::span<const double> reference, std::span<const double> value,
               std::int64_t first_index, std::int64_t stride, ErrorStatistics& statistics);

// Adds what `part` saw after what `whole` has seen.
void MergeErrors(const ErrorStatistics& part, ErrorStatistics& whole);

// A metric's value, or why there is none.
struct MetricValue {
  std::optional<double> value;
  // Empty where there is a value, else "no elements", "zero signal", "nonfinite result" or "exact"
  // (no error at all where the metric would be +inf).
  std::string_view reason;
};

enum class BetterWhen : std::uint8_t { kLower, kHigher };

struct Metric {
  std::string_view name;  // The key in reports.
  std::string_view unit;  // "" for pure numbers and for those in the unit of the data.
  BetterWhen better;
  std::string_view definition;
  MetricValue (*compute)(const ErrorStatistics&);
};

// max_abs_err, mean_abs_err, sqnr_db, rel_frobenius.
[[nodiscard]] std::span<const Metric> AllMetrics();

}  // namespace narrowgauge

#endif  // NARROWGAUGE_ERROR_METRICS_H_
