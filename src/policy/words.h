#ifndef NARROWGAUGE_POLICY_WORDS_H_
#define NARROWGAUGE_POLICY_WORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "narrowgauge/status.h"
#include "src/base/check.h"
#include "src/base/nearest_name.h"

// What the texts of specs, accumulations and policies are read and written with.

namespace narrowgauge::internal {

[[nodiscard]] inline tl::unexpected<Error> RefuseText(std::string message) {
  return MakeError(StatusCode::kInvalidArgument, std::move(message));
}

// Returns the pieces between separators, empty ones included: one more than there are separators.
[[nodiscard]] std::vector<std::string_view> SplitText(std::string_view text, char separator);

// A text and what follows the first separator in it, if there is one.
struct SplitPair {
  std::string_view first;
  std::optional<std::string_view> second;
};
[[nodiscard]] SplitPair SplitAtFirst(std::string_view text, char separator);

// Parses a whole number from 1 to the largest int64; `what` names it in messages.
[[nodiscard]] Result<std::int64_t> ParseCount(std::string_view what, std::string_view text);

// A word of a text and the value it stands for.
template <typename T>
struct Word {
  std::string_view word;
  T value;
};

// Returns the value of a word. kInvalidArgument: "unknown WHAT; expected one of ...".
template <typename T, std::size_t N>
[[nodiscard]] Result<T> ParseWord(std::string_view what, std::string_view text,
                                  const Word<T> (&words)[N]) {
  std::vector<std::string_view> names;
  for (const Word<T>& word : words) {
    if (word.word == text) return word.value;
    names.push_back(word.word);
  }
  return RefuseText(UnknownName(what, text, names));
}

// Returns the word of a value. Every value has one.
template <typename T, std::size_t N>
[[nodiscard]] std::string_view WordOf(const T& value, const Word<T> (&words)[N]) {
  const auto found = std::find_if(std::begin(words), std::end(words),
                                  [&](const Word<T>& word) { return word.value == value; });
  NG_CHECK(found != std::end(words));
  return found->word;
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_POLICY_WORDS_H_
