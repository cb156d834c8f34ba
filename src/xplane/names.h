#ifndef NARROWGAUGE_XPLANE_NAMES_H_
#define NARROWGAUGE_XPLANE_NAMES_H_

#include <string_view>

// The constants of names.inc.

namespace narrowgauge::internal {

#define NG_XPLANE_NAME(constant, name, meaning) inline constexpr std::string_view constant = name;
#include "src/xplane/names.inc"
#undef NG_XPLANE_NAME

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_NAMES_H_
