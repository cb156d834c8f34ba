#include "src/numerics/format_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "src/base/nearest_name.h"

namespace narrowgauge::internal {
namespace {

char Lower(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

// Appends the words that are there: a column holds "" where it has none.
void Append(std::span<const std::string_view> words, std::vector<std::string_view>& to) {
  std::copy_if(words.begin(), words.end(), std::back_inserter(to),
               [](std::string_view word) { return !word.empty(); });
}

std::string UnknownFormat(std::string_view what, std::string_view word,
                          std::span<const FormatWords> formats) {
  std::vector<std::string_view> names;
  for (const FormatWords& format : formats) names.push_back(format.name);
  std::vector<std::string_view> words = names;
  for (const FormatWords& format : formats) Append(format.others, words);
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  const auto nearest = NearestNames(lower, words, 1);
  return fmt::format("unknown {}; expected one of {}{}: \"{}\"", what, fmt::join(names, ", "),
                     nearest.empty() ? "" : fmt::format(" (nearest: {})", nearest[0]), word);
}

}  // namespace

FormatWords WordsOf(const DTypeInfo& info) {
  FormatWords words{info.name, {}};
  Append({&info.file_name, 1}, words.others);
  Append(info.aliases, words.others);
  return words;
}

FormatWords WordsOf(const BlockFormatInfo& info) {
  FormatWords words{info.name, {}};
  Append(info.aliases, words.others);
  return words;
}

Result<std::size_t> FindFormat(std::string_view what, std::string_view word,
                               std::span<const FormatWords> formats) {
  std::vector<std::size_t> meant;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (SameWord(formats[i].name, word)) return i;
    const auto& others = formats[i].others;
    if (std::any_of(others.begin(), others.end(),
                    [word](std::string_view other) { return SameWord(other, word); })) {
      meant.push_back(i);
    }
  }
  if (meant.size() == 1) return meant[0];
  if (meant.empty()) {
    return MakeError(StatusCode::kInvalidArgument, UnknownFormat(what, word, formats));
  }
  std::vector<std::string_view> names;
  for (const std::size_t i : meant) names.push_back(formats[i].name);
  return MakeError(StatusCode::kInvalidArgument,
                   fmt::format("this word means more than one {}; expected {}: \"{}\"", what,
                               fmt::join(names, " or "), word));
}

}  // namespace narrowgauge::internal
