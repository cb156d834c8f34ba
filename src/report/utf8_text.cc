#include "src/report/utf8_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/utf8.h"

namespace narrowgauge::internal {
namespace {

unsigned ByteAt(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// C1 controls are C2 80 to C2 9F.
bool IsControl(std::string_view character) {
  const unsigned lead = ByteAt(character, 0);
  if (character.size() == 1) return lead < 0x20 || lead == 0x7F;
  return character.size() == 2 && lead == 0xC2 && ByteAt(character, 1) < 0xA0;
}

std::string EscapedControl(std::string_view control) {
  switch (control.front()) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\u{:04x}", ByteAt(control, control.size() - 1));
  }
}

}  // namespace

std::string VisibleText(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(text);
    const std::string_view character =
        sequence.well_formed ? text.substr(0, sequence.size) : kUtf8Replacement;
    if (IsControl(character)) {
      visible += EscapedControl(character);
    } else {
      visible += character;
    }
    text.remove_prefix(sequence.size);
  }
  return visible;
}

std::size_t CountCodePoints(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::vector<std::string> WrapText(std::string_view text, std::size_t width,
                                  std::string_view indent) {
  std::vector<std::string> lines(1);
  bool begun = false;  // Whether the last line has a word.
  std::size_t gap = 0;
  while (!text.empty()) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < text.size() && (quoted || text[end] != ' '); ++end) {
      if (text[end] == '`') quoted = !quoted;
    }
    const std::string_view word = text.substr(0, end);
    if (begun && CountCodePoints(lines.back()) + gap + CountCodePoints(word) > width) {
      lines.emplace_back(indent);
      begun = false;
    }
    if (begun) lines.back().append(gap, ' ');
    lines.back() += word;
    begun = true;
    gap = std::min(text.find_first_not_of(' ', end), text.size()) - end;
    text.remove_prefix(end + gap);
  }
  return lines;
}

}  // namespace narrowgauge::internal
