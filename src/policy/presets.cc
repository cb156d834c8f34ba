#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/dot_algorithm.h"
#include "narrowgauge/precision_policy.h"
#include "src/base/check.h"
#include "src/base/nearest_name.h"

namespace narrowgauge {
namespace {

// One enumerator per preset of presets.inc.
enum class PresetId {
#define NG_PRESET(preset, name, summary) preset,
#define NG_POLICY(preset, name, text)
#include "src/policy/presets.inc"
#undef NG_PRESET
#undef NG_POLICY
};

struct PolicyRow {
  PresetId preset;
  std::string_view name;
  std::string_view text;
};

constexpr PolicyRow kPolicyRows[] = {
#define NG_PRESET(preset, name, summary)
#define NG_POLICY(preset, name, text) {PresetId::preset, name, text},
#include "src/policy/presets.inc"
#undef NG_PRESET
#undef NG_POLICY
};

std::vector<NamedPolicy> ParseRows(PresetId preset) {
  std::vector<NamedPolicy> policies;
  for (const PolicyRow& row : kPolicyRows) {
    if (row.preset != preset) continue;
    const auto policy = ParsePolicy(row.text);
    NG_CHECK(policy.has_value());
    policies.push_back({std::string(row.name), *policy});
  }
  return policies;
}

// Parsed once, when first asked for: whoever wants three policies does not wait for fifty.
template <PresetId kPreset>
std::span<const NamedPolicy> Policies() {
  static const std::vector<NamedPolicy> policies = ParseRows(kPreset);
  return policies;
}

}  // namespace

std::span<const Preset> AllPresets() {
  static constexpr Preset kPresets[] = {
#define NG_PRESET(preset, name, summary) {name, summary, Policies<PresetId::preset>},
#define NG_POLICY(preset, name, text)
#include "src/policy/presets.inc"
#undef NG_PRESET
#undef NG_POLICY
      {"dot-algorithms", "what JAX's dot algorithms come down to, on GPUs, TPUs and CPUs",
       DotAlgorithmPolicies},
  };
  return kPresets;
}

Result<std::span<const NamedPolicy>> FindPreset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Preset& preset : AllPresets()) {
    if (preset.name == name) return preset.policies();
    names.push_back(preset.name);
  }
  return MakeError(StatusCode::kInvalidArgument, internal::UnknownName("preset", name, names));
}

std::span<const NamedPolicy> TutorialPolicies() { return Policies<PresetId::kTutorial>(); }

std::span<const NamedPolicy> Bfloat16AccumulatorPolicies() {
  return Policies<PresetId::kBf16Accumulators>();
}

}  // namespace narrowgauge
