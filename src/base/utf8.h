#ifndef NARROWGAUGE_BASE_UTF8_H_
#define NARROWGAUGE_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace narrowgauge::internal {

// What a text begins with: a character, or the maximal part that begins none (Unicode 15, section
// 3.9, "U+FFFD Substitution").
struct Utf8Sequence {
  std::size_t size;  // At least 1.
  bool well_formed;
};

// Looks at the beginning of a text that is not empty.
[[nodiscard]] Utf8Sequence FirstUtf8Sequence(std::string_view text);

// What ReplaceInvalidUtf8 puts for an ill-formed part: U+FFFD.
inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";

// Returns whether text is well formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no
// surrogates, nothing above U+10FFFF.
[[nodiscard]] bool IsUtf8(std::string_view text);

// Returns the text with each maximal ill-formed part (Unicode 15, section 3.9) replaced by U+FFFD.
[[nodiscard]] std::string ReplaceInvalidUtf8(std::string_view text);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_UTF8_H_
