#include "src/report/utf8_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

unsigned ByteAt(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// What text begins with: a character, or a part to be replaced.
struct Sequence {
  std::size_t length = 1;
  bool valid = false;
};

// The lead byte gives the length and the range of the second byte; all others are 80 to BF.
Sequence FirstSequence(std::string_view text) {
  const unsigned lead = ByteAt(text, 0);
  if (lead < 0x80) return {.length = 1, .valid = true};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;   // Overlong.
  if (lead == 0xED) high = 0x9F;  // Surrogates.
  if (lead == 0xF0) low = 0x90;   // Overlong.
  if (lead == 0xF4) high = 0x8F;  // Above U+10FFFF.
  for (std::size_t i = 1; i < length; ++i) {
    const unsigned byte = ByteAt(text, i);
    if (byte < low || byte > high) return {.length = i, .valid = false};
    low = 0x80, high = 0xBF;
  }
  return {.length = length, .valid = true};
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

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string replaced;
  replaced.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = FirstSequence(text);
    replaced += sequence.valid ? text.substr(0, sequence.length) : kReplacement;
    text.remove_prefix(sequence.length);
  }
  return replaced;
}

std::string VisibleText(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = FirstSequence(text);
    const std::string_view character =
        sequence.valid ? text.substr(0, sequence.length) : kReplacement;
    if (IsControl(character)) {
      visible += EscapedControl(character);
    } else {
      visible += character;
    }
    text.remove_prefix(sequence.length);
  }
  return visible;
}

std::size_t CountCodePoints(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace narrowgauge::internal
