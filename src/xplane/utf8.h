#ifndef NARROWGAUGE_XPLANE_UTF8_H_
#define NARROWGAUGE_XPLANE_UTF8_H_

#include <string>
#include <string_view>

namespace narrowgauge::internal {

// Returns whether text is well formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no
// surrogates, nothing above U+10FFFF.
[[nodiscard]] bool IsUtf8(std::string_view text);

// Returns the text with each maximal ill-formed part (Unicode 15, section 3.9) replaced by U+FFFD.
[[nodiscard]] std::string ReplaceNotUtf8(std::string_view text);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_UTF8_H_
