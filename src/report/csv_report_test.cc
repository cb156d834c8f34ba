#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "src/report/registry.h"

namespace narrowgauge {
namespace {

using testing::ElementsAre;

using Lines = std::vector<std::vector<std::string>>;

// Reads RFC 4180 with "\n" between lines.
Lines Parse(const std::string& text) {
  Lines lines(1);
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '"' && text.substr(i + 1, 1) == "\"") {
      field += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (text[i] == ',' || text[i] == '\n')) {
      lines.back().push_back(std::exchange(field, {}));
      if (text[i] == '\n') lines.emplace_back();
    } else {
      field += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_THAT(lines.back(), testing::IsEmpty());
  lines.pop_back();
  return lines;
}

Lines WriteAndParse(const Report& report) { return Parse(internal::kCsvReport.write(report)); }

TEST(CsvReportTest, FactsStandInFrontOfEachRow) {
  Report report;
  report.facts = {{"seed", std::int64_t{3}}, {"saturating", false}};
  report.tables = {{"rows", "", {{"policy", ""}, {"x", ""}}, {{"a", 0.5}, {"b", 1.0}}},
                   {"others", "", {{"y", ""}}, {{1.0}}}};
  EXPECT_THAT(WriteAndParse(report),
              ElementsAre(ElementsAre("seed", "saturating", "policy", "x", "reasons"),
                          ElementsAre("3", "false", "a", "0.5", ""),
                          ElementsAre("3", "false", "b", "1.0", "")));
}

TEST(CsvReportTest, ColumnsDoNotDependOnWhichValuesExist) {
  Report report;
  report.facts = {{"budget", NoValue{"not asked for"}}};
  report.tables = {{"rows",
                    "",
                    {{"x", ""}, {"y", ""}},
                    {{NoValue{"exact"}, NoValue{"zero signal"}}, {1.0, 2.0}}}};
  EXPECT_THAT(
      WriteAndParse(report),
      ElementsAre(ElementsAre("budget", "x", "y", "reasons"),
                  ElementsAre("", "", "", "budget: not asked for; x: exact; y: zero signal"),
                  ElementsAre("", "1.0", "2.0", "budget: not asked for")));
}

TEST(CsvReportTest, WithoutATableTheFactsAreTheOnlyRow) {
  Report report;
  report.facts = {{"seed", std::int64_t{3}}};
  EXPECT_THAT(WriteAndParse(report),
              ElementsAre(ElementsAre("seed", "reasons"), ElementsAre("3", "")));
}

TEST(CsvReportTest, WithoutRowsOnlyTheHeaderIsLeft) {
  Report report;
  report.tables = {{"rows", "", {{"x", ""}}, {}}};
  EXPECT_THAT(WriteAndParse(report), ElementsAre(ElementsAre("x", "reasons")));
}

TEST(CsvReportTest, StringsReadBack) {
  const std::vector<std::string> texts = {"",     "plain",        "a,b",     "\"",
                                          "\"\"", "a\"b",         "a\nb",    "a\r\nb",
                                          " a ",  "\u00e9\u2026", ",\",\n\""};
  Report report;
  report.tables = {{"rows", "", {{"x", ""}}, {}}};
  for (const std::string& text : texts) report.tables[0].rows.push_back({text});
  const Lines lines = WriteAndParse(report);
  ASSERT_EQ(lines.size(), texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_THAT(lines[i + 1], ElementsAre(texts[i], ""));
}

TEST(CsvReportTest, DoublesReadBackToTheBit) {
  std::mt19937_64 bits(5);
  std::vector<double> values = {0.0, -0.0, 1e22};
  Report report;
  report.tables = {{"rows", "", {{"x", ""}}, {}}};
  while (values.size() < 3000) {
    const auto x = std::bit_cast<double>(bits());
    if (std::isfinite(x)) values.push_back(x);
  }
  for (const double x : values) report.tables[0].rows.push_back({x});
  const Lines lines = WriteAndParse(report);
  ASSERT_EQ(lines.size(), values.size() + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(lines[i + 1][0].c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(values[i]));
  }
}

}  // namespace
}  // namespace narrowgauge
