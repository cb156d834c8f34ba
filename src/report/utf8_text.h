#ifndef NARROWGAUGE_REPORT_UTF8_TEXT_H_
#define NARROWGAUGE_REPORT_UTF8_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgauge::internal {

// Names of tensors and files may hold any bytes.

// Returns valid UTF-8 that keeps to its line and moves no cursor: \n, \r and \t are written as two
// characters, other control characters (C0, DEL, C1) as \u001b.
[[nodiscard]] std::string VisibleText(std::string_view text);

// Returns the number of code points in valid UTF-8: its width on a terminal, but for wide and
// combining characters.
[[nodiscard]] std::size_t CountCodePoints(std::string_view text);

// Breaks a line at blanks so that none is longer than `width`, except for words that are: text
// between backquotes, such as a command, is one word. Later lines begin with `indent`.
[[nodiscard]] std::vector<std::string> WrapText(std::string_view text, std::size_t width,
                                                std::string_view indent);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_UTF8_TEXT_H_
