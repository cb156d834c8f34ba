#ifndef NARROWGAUGE_TESTS_SUPPORT_GOLDEN_WORDS_H_
#define NARROWGAUGE_TESTS_SUPPORT_GOLDEN_WORDS_H_

#include <array>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/random.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

// How the golden JSON files of the random numbers write words, keys and layouts.

namespace narrowgauge::test {

// Returns one member of a golden file, by value: a loop over ReadJson(file)[member] would dangle.
[[nodiscard]] inline nlohmann::json ReadMember(std::string_view file, const char* member) {
  return ReadJson(file).at(member);
}

[[nodiscard]] inline std::uint32_t ParseWord(const nlohmann::json& digits) {
  return static_cast<std::uint32_t>(ParseHex(digits.get<std::string>()));
}

[[nodiscard]] inline std::array<std::uint32_t, 2> ParseWordPair(const nlohmann::json& pair) {
  return {ParseWord(pair.at(0)), ParseWord(pair.at(1))};
}

[[nodiscard]] inline PrngKey ParseKey(const nlohmann::json& pair) { return {ParseWordPair(pair)}; }

[[nodiscard]] inline ThreefryLayout ParseLayout(const nlohmann::json& partitionable) {
  return partitionable.get<bool>() ? ThreefryLayout::kPartitionable : ThreefryLayout::kOriginal;
}

// Returns numbers of any width from their hexadecimal digits.
template <typename T>
[[nodiscard]] std::vector<T> ParseWords(const nlohmann::json& words) {
  std::vector<T> values;
  for (const auto& digits : words) values.push_back(static_cast<T>(ParseHex(digits)));
  return values;
}

// Returns the SHA-256 of values as they lie in the memory of a little-endian machine.
template <typename T>
[[nodiscard]] std::string Sha256Of(const std::vector<T>& values) {
  static_assert(std::endian::native == std::endian::little);
  const auto bytes = std::as_bytes(std::span(values));
  return Sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_GOLDEN_WORDS_H_
