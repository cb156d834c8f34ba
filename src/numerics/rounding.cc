#include "narrowgauge/rounding.h"

#include <array>
#include <cstddef>
#include <utility>

#include "narrowgauge/codec.h"
#include "src/base/nearest_name.h"

namespace narrowgauge {
namespace {

constexpr std::array<RoundingMode, 4> kRoundingModes = {
    RoundingMode::kNearestEven, RoundingMode::kNearestAway, RoundingMode::kTowardZero,
    RoundingMode::kStochastic};
constexpr std::array<std::string_view, 4> kRoundingNames = {"even", "away", "zero", "stochastic"};

constexpr std::array<OverflowMode, 2> kOverflowModes = {OverflowMode::kNative,
                                                        OverflowMode::kSaturate};
constexpr std::array<std::string_view, 2> kOverflowNames = {"native", "saturate"};

template <typename Mode, std::size_t kCount>
Result<Mode> Parse(std::string_view what, std::string_view name,
                   const std::array<Mode, kCount>& modes,
                   const std::array<std::string_view, kCount>& names) {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (names[i] == name) return modes[i];
  }
  return MakeError(StatusCode::kInvalidArgument, internal::UnknownName(what, name, names));
}

}  // namespace

std::string_view RoundingModeName(RoundingMode rounding) {
  return kRoundingNames[static_cast<std::size_t>(rounding)];
}

std::string_view OverflowModeName(OverflowMode overflow) {
  return kOverflowNames[static_cast<std::size_t>(overflow)];
}

std::span<const RoundingMode> AllRoundingModes() { return kRoundingModes; }

std::span<const OverflowMode> AllOverflowModes() { return kOverflowModes; }

Result<RoundingMode> ParseRoundingMode(std::string_view name) {
  return Parse("rounding", name, kRoundingModes, kRoundingNames);
}

Result<OverflowMode> ParseOverflowMode(std::string_view name) {
  return Parse("overflow", name, kOverflowModes, kOverflowNames);
}

}  // namespace narrowgauge
