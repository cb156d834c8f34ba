#include "src/policy/words.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace narrowgauge::internal {

std::vector<std::string_view> SplitText(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    pieces.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return pieces;
    start = end + 1;
  }
}

SplitPair SplitAtFirst(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

Result<std::int64_t> ParseCount(std::string_view what, std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= 1) return value;
  return RefuseText(fmt::format("{} must be a whole number from 1 to {}: \"{}\"", what,
                                std::numeric_limits<std::int64_t>::max(), text));
}

}  // namespace narrowgauge::internal
