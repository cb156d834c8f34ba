#include "src/report/well_formed.h"

#include <gtest/gtest.h>

#include <limits>

namespace narrowgauge::internal {
namespace {

Report SmallReport() {
  Report report;
  report.facts = {{"seed", std::int64_t{0}}};
  report.tables = {{"rows", "", {{"policy", ""}, {"sqnr_db", "dB"}}, {{"a", 1.5}}}};
  return report;
}

TEST(WellFormedDeathTest, ReportsThatSomeFormatCouldNotHoldAreBrokenPromises) {
  const auto expect_death = [](const auto& spoil) {
    Report report = SmallReport();
    spoil(report);
    EXPECT_DEATH(CheckWellFormed(report), "broken promise");
  };
  expect_death([](Report& r) { r.tables[0].rows[0].pop_back(); });
  expect_death([](Report& r) { r.tables[0].rows[0][1] = std::numeric_limits<double>::infinity(); });
  expect_death([](Report& r) { r.facts[0].value = std::numeric_limits<double>::quiet_NaN(); });
  expect_death([](Report& r) { r.facts[0].value = NoValue{}; });
  expect_death([](Report& r) { r.facts.push_back(r.facts[0]); });
  expect_death([](Report& r) { r.facts[0].key = "schema"; });
  expect_death([](Report& r) { r.facts[0].key = "rows"; });
  expect_death([](Report& r) { r.facts[0].key = "policy"; });
  expect_death([](Report& r) { r.facts[0].key = ""; });
  expect_death([](Report& r) { r.tables[0].columns[0].key = "sqnr_db"; });
  expect_death([](Report& r) { r.tables[0].columns[0].key = "sqnr_db_reason"; });
  expect_death([](Report& r) { r.tables[0].columns[0].key = "reasons"; });
}

TEST(WellFormedTest, TablesHaveColumnsOfTheirOwn) {
  Report report = SmallReport();
  report.tables.push_back(report.tables[0]);
  report.tables[1].key = "others";
  report.tables[1].columns[0].key = "seed";
  CheckWellFormed(report);
  CheckWellFormed({});
}

}  // namespace
}  // namespace narrowgauge::internal
