#ifndef NARROWGAUGE_ERROR_METRICS_H_
#define NARROWGAUGE_ERROR_METRICS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"

namespace narrowgauge {

// value * 2^exponent: a sum of float64 that can neither overflow nor vanish. The exponent is 0
// unless the data lie outside [2^-400, 2^400], so for float32 data `value` is the sum.
struct ScaledSum {
  double value = 0;
  int exponent = 0;
};

// What the errors are asked for beyond the basics; a set of flags. Nobody pays for the rest.
enum class ErrorNeeds : std::uint8_t {
  kBasic = 0,     // max |e|, sum |e|, sum e^2, sum r^2 and the counts: always there.
  kRelative = 1,  // max |e|/|r|
  kCosine = 2,    // sum rv, sum v^2
  kUlp = 4,       // max |e|/ulp(r)
  kBackward = 8,  // max |e|/(|x|*|w|)
  kAll = 15,
};

[[nodiscard]] constexpr ErrorNeeds operator|(ErrorNeeds a, ErrorNeeds b) {
  return static_cast<ErrorNeeds>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr ErrorNeeds operator&(ErrorNeeds a, ErrorNeeds b) {
  return static_cast<ErrorNeeds>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}

[[nodiscard]] constexpr ErrorNeeds operator~(ErrorNeeds a) {
  return static_cast<ErrorNeeds>(~static_cast<unsigned>(a)) & ErrorNeeds::kAll;
}

// Returns whether `set` has all flags of `wanted`.
[[nodiscard]] constexpr bool Includes(ErrorNeeds set, ErrorNeeds wanted) {
  return (set & wanted) == wanted;
}

// Sufficient statistics of e = v - r over some elements, in float64: all that the metrics need,
// small enough to keep one per output channel. r is the reference, v the value under judgement.
//
// The order of every sum is fixed, so that threads, tiles and vector widths cannot change a bit. A
// channel is cut into partials of kPartialLength consecutive elements. Within one, element i goes
// to lane i mod kLanes; each lane adds its terms in order of i; then lane j takes lane j + 8, for j
// < 8, and so on for 4, 2 and 1. Terms are |e|, and the products e*e, r*r, r*v and v*v, which fused
// multiply-add adds without rounding them first. Partials are merged along the channel, then
// channels in order.
//
// Scaling. With X the largest |r|, |v| or |e| of a partial, x = 0 if X is 0 or in [2^-400, 2^400],
// else floor(log2 X) (1024 where v - r overflows). The partial's terms are those of r*2^-x_r,
// v*2^-x_v and e*2^-x_e; e*2^-x_e is (v*2^-x_e) - (r*2^-x_e) if x_e > 0, else (v - r)*2^-x_e. A sum
// has the exponents of its factors, added. Merging brings both sums to the larger exponent; a sum
// of zero takes the other's. Thus sum e^2 is 0 only if every e is, and likewise for r and v.
struct ErrorStatistics {
  static constexpr std::int64_t kPartialLength = 1024;
  static constexpr std::int64_t kLanes = 16;

  std::int64_t count = 0;            // Elements in the sums and maxima.
  double max_abs = 0;                // max |e|; +inf where v - r overflows.
  ScaledSum sum_abs = {};            // sum |e|
  ScaledSum sum_squares = {};        // sum e^2
  ScaledSum reference_squares = {};  // sum r^2

  ScaledSum value_squares = {};  // kCosine: sum v^2
  ScaledSum products = {};       // kCosine: sum r v

  double max_relative = 0;  // kRelative: max |e|/|r| over r != 0.
  double max_ulp = 0;       // kUlp: max |e|/ulp(r).

  double max_backward = 0;              // kBackward: max |e|/(|x|*|w|) where that is not 0,
  std::int64_t backward_count = 0;      // over so many elements.
  std::int64_t backward_over_zero = 0;  // Elements with |x|*|w| = 0 and e != 0.

  std::int64_t nonfinite_results = 0;        // v not finite although r is.
  std::int64_t first_nonfinite_result = -1;  // Its lowest index, as the caller counts; -1 for none.

  // Which of the above cover every element that was added; all, as long as there is none.
  ErrorNeeds covered = ErrorNeeds::kAll;
};

struct ErrorOptions {
  ErrorNeeds needs = ErrorNeeds::kBasic;
  // kUlp: the type whose unit in the last place counts, ulp(r) = 2^(max(floor(log2 |r|), emin) -
  // mantissa_bits), emin that of its smallest normal. r = 0 takes the smallest subnormal; |r| above
  // the largest finite value, the binade of that; integers 1.
  DType ulp_of = DType::kFloat32;
  // kBackward: |x|*|w| of each element, >= 0. Empty where v is not a product: then kBackward is not
  // covered.
  std::span<const double> magnitudes = {};
};

// Adds elements to `statistics`: element i has index first_index + i * stride, and partials begin
// at element 0, so a caller that cuts a channel cuts it at multiples of kPartialLength.
//
// A v that is not finite is counted and adds to nothing else. An element whose r is not finite has
// no reference: it adds to nothing. Either keeps its place, so the lanes of the others do not
// change. Quotients that exceed float64 are +inf; -0 is 0; subnormals are kept.
void AddErrors(std::span<const double> reference, std::span<const double> value,
               std::int64_t first_index, std::int64_t stride, ErrorStatistics& statistics,
               const ErrorOptions& options = {});

// Adds what `part` saw after what `whole` has seen.
void MergeErrors(const ErrorStatistics& part, ErrorStatistics& whole);

// A metric's value, or why there is none.
struct MetricValue {
  std::optional<double> value;  // Finite.
  // Empty where there is a value, else one of
  //   "no elements"
  //   "nonfinite result"  a v that is not finite: no error metric has a value
  //   "zero signal"       all r are zero
  //   "zero result"       all v are zero (cosine)
  //   "exact"             no error at all, where the metric would be +inf; conditions count it as
  //   that "no product"        v is not a product (backward_err) "zero operands"     |x|*|w| is
  //   zero everywhere (backward_err) "not asked for"     the statistics do not cover what the
  //   metric needs "beyond float64"    larger than any float64
  // Tested in this order: nonfinite result, no elements, no product or not asked for, the others.
  std::string_view reason;
};

enum class BetterWhen : std::uint8_t { kLower, kHigher };

struct Metric {
  std::string_view name;  // The key in reports.
  std::string_view unit;  // "" for pure numbers and for those in the unit of the data.
  BetterWhen better;
  std::string_view definition;
  ErrorNeeds needs;
  MetricValue (*compute)(const ErrorStatistics&);
};

// max_abs_err, mean_abs_err, sqnr_db, rel_frobenius, max_rel_err, cosine, ulp_err, backward_err.
[[nodiscard]] std::span<const Metric> AllMetrics();

// The first four of them.
[[nodiscard]] std::vector<const Metric*> DefaultMetrics();

// Reads names separated by commas, in any order; "all" stands for all. kInvalidArgument for an
// unknown name, with those accepted and the nearest, and for one that is given twice.
[[nodiscard]] Result<std::vector<const Metric*>> ParseMetricList(std::string_view names);

// Returns all that these metrics need.
[[nodiscard]] ErrorNeeds NeedsOf(std::span<const Metric* const> metrics);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_ERROR_METRICS_H_
