#include <algorithm>
#include <array>
#include <cstddef>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge {
namespace {

enum class Set : std::uint8_t { kTutorial, kBfloat16Accumulator };

struct Row {
  Set set;
  NamedPolicy named;
};

constexpr Row kRows[] = {
#define NG_POLICY(set, name, w, w_granularity, a, acc, acc_block, out) \
  {Set::k##set,                                                        \
   {name,                                                              \
    {.weights = {DType::w, QuantizationGranularity::w_granularity},    \
     .activations = {DType::a, QuantizationGranularity::kUnscaled},    \
     .accumulation = {DType::acc, acc_block},                          \
     .output = DType::out}}},
#include "src/policy/presets.inc"
#undef NG_POLICY
};

template <Set set>
consteval auto Select() {
  constexpr auto kCount = static_cast<std::size_t>(
      std::ranges::count(kRows, set, [](const Row& row) { return row.set; }));
  std::array<NamedPolicy, kCount> selected{};
  std::size_t count = 0;
  for (const Row& row : kRows) {
    if (row.set == set) selected[count++] = row.named;
  }
  return selected;
}

constexpr auto kTutorial = Select<Set::kTutorial>();
constexpr auto kBfloat16Accumulator = Select<Set::kBfloat16Accumulator>();

}  // namespace

std::span<const NamedPolicy> TutorialPolicies() { return kTutorial; }

std::span<const NamedPolicy> Bfloat16AccumulatorPolicies() { return kBfloat16Accumulator; }

}  // namespace narrowgauge
