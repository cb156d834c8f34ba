#include <algorithm>
#include <iterator>
#include <vector>

#include "narrowgauge/numerics_profile.h"
#include "src/base/nearest_name.h"

namespace narrowgauge {
namespace {

constexpr NumericsProfile kProfiles[] = {
#define NG_PROFILE(profile_name, log1p_variant, fusing, quotient, float32_order, bf16_order, mean, \
                   subnormal_handling, text)                                                       \
  {.name = profile_name,                                                                           \
   .log1p = Log1pVariant::log1p_variant,                                                           \
   .multiply_add = MultiplyAdd::fusing,                                                            \
   .scale_quotient = Quotient::quotient,                                                           \
   .bf16_to_float32_order = DotOrder::float32_order,                                               \
   .bf16_to_bf16_order = DotOrder::bf16_order,                                                     \
   .mean_order = MeanOrder::mean,                                                                  \
   .subnormals = Subnormals::subnormal_handling,                                                   \
   .description = text},
#include "src/random/profiles.inc"
#undef NG_PROFILE
};

}  // namespace

std::span<const NumericsProfile> AllNumericsProfiles() { return kProfiles; }

const NumericsProfile& DefaultNumericsProfile() { return kProfiles[0]; }

Result<NumericsProfile> FindNumericsProfile(std::string_view name) {
  std::vector<std::string_view> names;
  for (const NumericsProfile& profile : kProfiles) {
    if (profile.name == name) return profile;
    names.push_back(profile.name);
  }
  return MakeError(StatusCode::kInvalidArgument,
                   internal::UnknownName("numerics profile", name, names));
}

}  // namespace narrowgauge
