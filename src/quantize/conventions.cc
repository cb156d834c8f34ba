#include <fmt/format.h>

#include "narrowgauge/convention.h"

// Temporary: there are no conventions yet. The table of ecosystems replaces this file.

namespace narrowgauge {

std::span<const Convention> AllConventions() { return {}; }

Result<const Convention*> FindConvention(std::string_view text) {
  return MakeError(StatusCode::kInvalidArgument,
                   fmt::format("no convention is supported yet: \"{}\"", text));
}

std::string ConventionName(const Convention& convention) {
  return fmt::format("{}/{}", convention.ecosystem, convention.scheme);
}

}  // namespace narrowgauge
