#include "src/report/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

// A bit of everything that is awkward to write down.
Report AwkwardReport() {
  const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  Report report;
  report.schema = "narrowgauge.sample/1";
  report.title = "A report | with everything";
  report.facts = {{"seed", std::int64_t{-7}},
                  {"backend", "emulated, \"avx2\""},
                  {"saturating", true},
                  {"share", 1.0 / 3},
                  {"budget", NoValue{"not asked for"}}};
  report.tables = {
      {"rows",
       "Error against float64",
       {{"policy", ""}, {"max_abs_err", ""}, {"sqnr_db", "dB"}, {"weight_bytes", "bytes"}},
       {{"bf16 (fp32 accum)", 0.037180003, 41.24, std::int64_t{16384}},
        {"\u00e9\u2026 *a|b* _x_ [l](m)", 1.25e-07, NoValue{"exact"}, largest},
        {"line\nbreak, \"quoted\"\x1b \xff", -0.0, NoValue{"zero signal"}, std::int64_t{0}},
        {"", NoValue{"no elements"}, NoValue{"no elements"}, NoValue{"no elements"}}}},
      {"skipped", "", {{"tensor", ""}, {"why", ""}}, {}}};
  report.notes = {"Compared with the reference.", "Zero columns: 1 <of> 64."};
  return report;
}

class ReportFormatTest : public testing::TestWithParam<std::string_view> {
 protected:
  [[nodiscard]] static ReportFormat Format() { return FindReportFormat(GetParam()).value(); }
};

// NARROWGAUGE_UPDATE_GOLDEN=1 rewrites the files.
TEST_P(ReportFormatTest, WritesTheGoldenText) {
  const auto path = test::DataPath("golden/report/awkward." + std::string(GetParam()));
  const std::string text = Format().write(AwkwardReport());
  if (std::getenv("NARROWGAUGE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  EXPECT_EQ(text, test::ReadBytes(path));
}

TEST_P(ReportFormatTest, EndsInOneNewline) {
  Report one_fact;
  one_fact.facts = {{"seed", std::int64_t{0}}};
  for (const Report& report : {Report{}, one_fact, AwkwardReport()}) {
    const std::string text = Format().write(report);
    ASSERT_FALSE(text.empty());
    EXPECT_TRUE(text.ends_with('\n'));
    EXPECT_FALSE(text.ends_with("\n\n"));
  }
}

TEST_P(ReportFormatTest, HasADescription) { EXPECT_FALSE(Format().description.empty()); }

std::vector<std::string_view> AllNames() {
  std::vector<std::string_view> names;
  for (const ReportFormat& format : AllReportFormats()) names.push_back(format.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ReportFormatTest, testing::ValuesIn(AllNames()),
                         [](const auto& test) { return std::string(test.param); });

TEST(ReportRegistryTest, AnUnknownFormatIsRefusedWithTheList) {
  const auto found = FindReportFormat("jsn");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, StatusCode::kInvalidArgument);
  EXPECT_EQ(found.error().message,
            "unknown report format; expected one of table, csv, json, markdown (nearest: json): "
            "\"jsn\"");
}

}  // namespace
}  // namespace narrowgauge
