#ifndef NARROWGAUGE_REPORT_JSON_TEXT_H_
#define NARROWGAUGE_REPORT_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace narrowgauge::internal {

// Returns a value as JSON (RFC 8259), two blanks per level, without a newline at the end. Doubles,
// which must be finite, are written by ShortestText: nlohmann's own dump() is not always shortest
// (Loitsch's Grisu2). What is not UTF-8 in strings becomes U+FFFD.
[[nodiscard]] std::string JsonText(const nlohmann::ordered_json& value);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_JSON_TEXT_H_
