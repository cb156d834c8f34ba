#include <fmt/format.h>

#include "narrowgauge/convention.h"
#include "narrowgauge/precision_policy.h"

namespace narrowgauge {
namespace {

bool HaveOneFormat(const QuantizationSpec& a, const QuantizationSpec& b) {
  return a.block_format == b.block_format && (a.block_format || a.dtype == b.dtype);
}

std::string_view FormatName(const QuantizationSpec& spec) {
  return spec.block_format ? GetBlockFormatInfo(*spec.block_format).name : DTypeName(spec.dtype);
}

// The scheme of an ecosystem for weights of a format: its default if that is of the format, else
// its first.
Result<const Convention*> SchemeFor(const Convention& named, const QuantizationSpec& weights) {
  for (const Convention& row : AllConventions()) {
    if (row.ecosystem != named.ecosystem) continue;
    const auto spec = ParseSpec(row.spec);
    if (spec && HaveOneFormat(*spec, weights)) return &row;
  }
  return MakeError(
      StatusCode::kInvalidArgument,
      fmt::format("{} has no scheme for this format; `narrowgauge measure --like {}` alone "
                  "shows its default: \"{}\"",
                  named.ecosystem, named.ecosystem, FormatName(weights)));
}

Result<NamedPolicy> Follow(const NamedPolicy& named, const Convention& convention,
                           bool any_scheme) {
  if (IsCast(named.policy.weights)) return named;
  const Convention* row = &convention;
  if (any_scheme) {
    const auto scheme = SchemeFor(convention, named.policy.weights);
    if (!scheme) return tl::unexpected(scheme.error());
    row = *scheme;
  }
  const std::string name = ConventionName(*row);
  const auto weights = ParseSpec(fmt::format("{},like={}", FormatSpec(named.policy.weights), name));
  if (!weights) return tl::unexpected(weights.error());
  NamedPolicy followed{fmt::format("{} like {}", named.name, name), named.policy};
  followed.policy.weights = *weights;
  return followed;
}

}  // namespace

Result<std::vector<NamedPolicy>> FollowConvention(std::span<const NamedPolicy> policies,
                                                  std::string_view like) {
  const auto convention = FindConvention(like);
  if (!convention) return tl::unexpected(convention.error());
  std::vector<NamedPolicy> followed;
  if (policies.empty()) {
    const std::string name = ConventionName(**convention);
    const auto policy = ParsePolicy(fmt::format("w={},like={}", (*convention)->spec, name));
    if (!policy) return tl::unexpected(policy.error());
    followed.push_back({name, *policy});
    return followed;
  }
  const bool any_scheme = like.find('/') == std::string_view::npos;
  for (const NamedPolicy& named : policies) {
    auto row = Follow(named, **convention, any_scheme);
    if (!row) return tl::unexpected(row.error());
    followed.push_back(std::move(*row));
  }
  return followed;
}

}  // namespace narrowgauge
