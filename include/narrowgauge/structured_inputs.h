#ifndef NARROWGAUGE_STRUCTURED_INPUTS_H_
#define NARROWGAUGE_STRUCTURED_INPUTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/status.h"

// What operands are like that are drawn, not read: x[M, K] and w[K, N], float32. All come from
// Threefry under keys made of the seed and from counters, so that their bits depend on neither
// threads nor instruction set. docs/numerics.md has the constructions.

namespace narrowgauge {

enum class InputKind : std::uint8_t {
  kNormal,
  kOnes,
  kSameSign,
  kCancelling,
  kIllConditioned,
  kOutlierChannels,
};

// A text and a value: "normal", "ill-conditioned:1e6".
struct InputSpec {
  InputKind kind = InputKind::kNormal;
  double parameter = 0;  // Of the kinds that have one.
  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

struct InputInfo {
  InputKind kind;
  std::string_view name;
  std::string_view parameter;  // What follows the name after a colon: "C"; empty if nothing does.
  std::string_view summary;
};

[[nodiscard]] std::span<const InputInfo> AllInputs();

// Returns the text, which reads back to the same value.
[[nodiscard]] std::string FormatInputs(const InputSpec& inputs);

// kInvalidArgument for an unknown name, with those there are and the nearest, and for a parameter
// that is missing, too many or out of range.
[[nodiscard]] Result<InputSpec> ParseInputs(std::string_view text);

// kIllConditioned: the condition number of a dot product, 2 |x|.|w| / |x.w|, is within this factor
// of the one asked for, for all M, K and N.
inline constexpr double kConditionFactor = 2;

// kIllConditioned: the least that may be asked for, and the least K.
inline constexpr double kLeastCondition = 3;
inline constexpr std::int64_t kLeastIllConditionedDepth = 3;

// kIllConditioned: the most that may be asked for at this K, 2^87 / K^2. Beyond it the reference, a
// compensated sum in float64, could err by more than 2^-20 of its value: (K 2^-53)^2 C / 2 (Ogita,
// Rump and Oishi, "Accurate Sum and Dot Product", 2005, section 4).
[[nodiscard]] double MostCondition(std::int64_t depth);

// kOutlierChannels: of each so many consecutive k, one is an outlier.
inline constexpr std::int64_t kOutlierSpacing = 128;

}  // namespace narrowgauge

#endif  // NARROWGAUGE_STRUCTURED_INPUTS_H_
