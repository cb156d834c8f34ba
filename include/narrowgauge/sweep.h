#ifndef NARROWGAUGE_SWEEP_H_
#define NARROWGAUGE_SWEEP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/experiment.h"
#include "narrowgauge/status.h"

// Policies measured again and again, while one thing about them changes.

namespace narrowgauge {

enum class SweepAxis : std::uint8_t {
  kK,       // The depth of the product.
  kBlock,   // Of each policy's accumulation: the k that are summed from zero,
  kSplitK,  // and the slices of K; 1 is no split.
};

// "k", "block", "split-k".
[[nodiscard]] std::string_view SweepAxisName(SweepAxis axis);

struct Sweep {
  SweepAxis axis = SweepAxis::kK;
  std::vector<std::int64_t> values;  // Ascending, from 1.
};

inline constexpr std::int64_t kMostSweepValues = 1000;

// Parses AXIS=VALUES. VALUES are numbers and ranges between commas, ascending: A..B is A, the
// powers of two between, and B; A..B:STEP is A, A + STEP and so on, up to B. kInvalidArgument for
// anything else, and for more than kMostSweepValues.
[[nodiscard]] Result<Sweep> ParseSweep(std::string_view text);

struct SweepPoint {
  std::int64_t value = 0;
  Measurement measurement;
  // Where results can be followed, against the value before: outputs that did not change although
  // their exact sums did, and outputs that changed or are not finite.
  std::int64_t unchanged = 0;
  std::int64_t changed = 0;
};

struct SweepCurve {
  NamedPolicy policy;  // As it was given; where its name would say what is swept, a letter does.
  std::vector<SweepPoint> points;  // One for each value.
  // The first value from which no later one changes an output, though exact sums change with each:
  // from there on, all that is added is lost. None if there is no such value before the last.
  std::optional<std::int64_t> stagnation;
};

struct SweepResult {
  MeasureResult common;  // What holds for all points, without rows; k is the operands' own.
  // Whether results were followed: a sweep of k in which each value adds to the sums before.
  bool follows_sums = false;
  std::vector<SweepCurve> curves;
};

// Measures the options' policies at each value. In a sweep of k the operands are the first k of
// those that Measure would have, which must not have fewer; inputs whose operands are made for each
// other are drawn anew for each k, and not followed. In the others the policies' accumulation has
// its block or slices replaced; policies that become the same are measured once. The options'
// `outputs` is not called. Errors as of Measure;
// kInvalidArgument also for a policy that contradicts the sweep, such as a unit of hardware.
[[nodiscard]] Result<SweepResult> MeasureSweep(const MeasureOptions& options, const Sweep& sweep);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_SWEEP_H_
