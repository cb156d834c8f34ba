#include "src/base/utf8.h"

namespace narrowgauge::internal {

Utf8Sequence FirstUtf8Sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  // The second byte excludes overlong forms, surrogates, and what lies above U+10FFFF.
  const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (text.size() < 2 || byte(1) < low || byte(1) > high) return {1, false};
  for (std::size_t i = 2; i < size; ++i) {
    if (i >= text.size() || (byte(i) & 0xC0) != 0x80) return {i, false};
  }
  return {size, true};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(text);
    if (!sequence.well_formed) return false;
    text.remove_prefix(sequence.size);
  }
  return true;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  std::string replaced;
  replaced.reserve(text.size());
  while (!text.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(text);
    replaced += sequence.well_formed ? text.substr(0, sequence.size) : kUtf8Replacement;
    text.remove_prefix(sequence.size);
  }
  return replaced;
}

}  // namespace narrowgauge::internal
