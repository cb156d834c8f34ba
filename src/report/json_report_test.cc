#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "src/report/registry.h"

namespace narrowgauge {
namespace {

using nlohmann::ordered_json;

ordered_json WriteAndRead(const Report& report) {
  return ordered_json::parse(internal::kJsonReport.write(report));
}

Report OneColumn(std::vector<std::vector<Cell>> rows) {
  Report report;
  report.schema = "narrowgauge.sample/1";
  report.tables = {{"rows", "", {{"x", ""}}, std::move(rows)}};
  return report;
}

TEST(JsonReportTest, KeysComeInTheirOrder) {
  Report report = OneColumn({});
  report.title = "A title";
  report.facts = {{"seed", std::int64_t{1}}, {"backend", "emulated"}};
  std::vector<std::string> keys;
  const ordered_json object = WriteAndRead(report);
  for (const auto& item : object.items()) keys.push_back(item.key());
  const std::vector<std::string> expected = {"schema", "title", "seed", "backend", "rows", "notes"};
  EXPECT_EQ(keys, expected);
}

TEST(JsonReportTest, DoublesReadBackToTheBit) {
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0,
                                -100.0,
                                1e22,
                                0x1p63,
                                0x1p64,
                                9007199254740993.0,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::lowest(),
                                std::numeric_limits<double>::min(),
                                std::numeric_limits<double>::denorm_min()};
  std::mt19937_64 bits(4);
  while (values.size() < 10'000) {
    const auto x = std::bit_cast<double>(bits());
    if (std::isfinite(x)) values.push_back(x);
  }
  std::vector<std::vector<Cell>> rows;
  for (const double x : values) rows.push_back({x});
  const ordered_json read = WriteAndRead(OneColumn(std::move(rows)))["rows"];
  ASSERT_EQ(read.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_TRUE(read[i]["x"].is_number_float());
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read[i]["x"].get<double>()),
              std::bit_cast<std::uint64_t>(values[i]));
  }
}

TEST(JsonReportTest, IntegersKeepAllDigits) {
  for (const std::int64_t x : {std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max(), std::int64_t{0}}) {
    EXPECT_EQ(WriteAndRead(OneColumn({{x}}))["rows"][0]["x"].get<std::int64_t>(), x);
  }
}

TEST(JsonReportTest, NoValueIsNullWithItsReasonBeside) {
  Report report = OneColumn({{NoValue{"exact"}}, {2.0}});
  report.facts = {{"budget", NoValue{"not asked for"}}};
  const ordered_json object = WriteAndRead(report);
  EXPECT_TRUE(object["budget"].is_null());
  EXPECT_EQ(object["budget_reason"], "not asked for");
  EXPECT_TRUE(object["rows"][0]["x"].is_null());
  EXPECT_EQ(object["rows"][0]["x_reason"], "exact");
  EXPECT_FALSE(object["rows"][1].contains("x_reason"));
}

TEST(JsonReportTest, AnyBytesInAStringGiveValidJson) {
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  const std::string read = WriteAndRead(OneColumn({{all_bytes}}))["rows"][0]["x"];
  EXPECT_EQ(read.substr(0, 128), all_bytes.substr(0, 128));
  EXPECT_EQ(read.substr(128, 3), "\uFFFD");
  EXPECT_EQ(WriteAndRead(OneColumn({{"\u00e9\"\\\n"}}))["rows"][0]["x"], "\u00e9\"\\\n");
}

}  // namespace
}  // namespace narrowgauge
