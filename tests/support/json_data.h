#ifndef NARROWGAUGE_TESTS_SUPPORT_JSON_DATA_H_
#define NARROWGAUGE_TESTS_SUPPORT_JSON_DATA_H_

#include <nlohmann/json.hpp>
#include <string_view>

#include "tests/support/test_data.h"

namespace narrowgauge::test {

// Returns the content of a JSON file below tests/. To loop over a member, keep the whole first: a
// loop over ReadJson(name)["member"] would dangle.
[[nodiscard]] inline nlohmann::json ReadJson(std::string_view name) {
  return nlohmann::json::parse(ReadBytes(DataPath(name)));
}

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_JSON_DATA_H_
