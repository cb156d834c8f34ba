#include "narrowgauge/convention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "src/base/check.h"
#include "src/base/nearest_name.h"
#include "src/quantize/recipe.h"

namespace narrowgauge {
namespace internal {
namespace {

constexpr QuantizationRecipe kRecipes[] = {
#define NG_CONVENTION(ecosystem, scheme, package, source, evidence, spec, words, ...) __VA_ARGS__,
#include "src/quantize/conventions.inc"
#undef NG_CONVENTION
};

}  // namespace
}  // namespace internal

namespace {

constexpr std::size_t kCount = std::size(internal::kRecipes);

constexpr std::array<Convention, kCount> MakeConventions() {
  std::array<Convention, kCount> rows{{
#define NG_CONVENTION(ecosystem, scheme, package, source, evidence, spec, words, ...) \
  {ecosystem, scheme, false, package, source, Evidence::evidence, spec, words},
#include "src/quantize/conventions.inc"
#undef NG_CONVENTION
  }};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].is_default = i == 0 || rows[i].ecosystem != rows[i - 1].ecosystem;
  }
  return rows;
}

constexpr std::array<Convention, kCount> kConventions = MakeConventions();

// The ecosystems, each once.
std::vector<std::string_view> Ecosystems() {
  std::vector<std::string_view> names;
  for (const Convention& row : kConventions) {
    if (row.is_default) names.push_back(row.ecosystem);
  }
  return names;
}

std::vector<std::string_view> SchemesOf(std::string_view ecosystem) {
  std::vector<std::string_view> names;
  for (const Convention& row : kConventions) {
    if (row.ecosystem == ecosystem) names.push_back(row.scheme);
  }
  return names;
}

}  // namespace

std::span<const Convention> AllConventions() { return kConventions; }

Result<const Convention*> FindConvention(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view ecosystem = text.substr(0, slash);
  const std::vector<std::string_view> ecosystems = Ecosystems();
  if (std::find(ecosystems.begin(), ecosystems.end(), ecosystem) == ecosystems.end()) {
    return MakeError(StatusCode::kInvalidArgument,
                     internal::UnknownName("convention", ecosystem, ecosystems));
  }
  for (const Convention& row : kConventions) {
    if (row.ecosystem != ecosystem) continue;
    if (slash == std::string_view::npos ? row.is_default : row.scheme == text.substr(slash + 1)) {
      return &row;
    }
  }
  return MakeError(StatusCode::kInvalidArgument,
                   internal::UnknownName(fmt::format("scheme of {}", ecosystem),
                                         text.substr(slash + 1), SchemesOf(ecosystem)));
}

std::string ConventionName(const Convention& convention) {
  return fmt::format("{}/{}", convention.ecosystem, convention.scheme);
}

namespace internal {

const QuantizationRecipe& RecipeOf(const Convention& convention) {
  const auto at = static_cast<std::size_t>(&convention - kConventions.data());
  NG_CHECK(at < kCount);
  return kRecipes[at];
}

}  // namespace internal
}  // namespace narrowgauge
