#include "src/report/people_text.h"

#include <gtest/gtest.h>

namespace narrowgauge::internal {
namespace {

Report WithColumn(ShownTo shown_to, std::vector<Cell> cells) {
  Report report;
  report.facts.push_back({"first", cells.front(), shown_to});
  ReportTable table{"rows", "", {{"policy", ""}, {"count", "", shown_to}}, {}};
  for (const Cell& cell : cells) table.rows.push_back({std::string("p"), cell});
  report.tables.push_back(table);
  return report;
}

TEST(ForPeopleTest, WhatIsForEveryoneStays) {
  const Report shown = ForPeople(WithColumn(ShownTo::kEveryone, {std::int64_t{0}}));
  EXPECT_EQ(shown.facts.size(), 1U);
  EXPECT_EQ(shown.tables[0].columns.size(), 2U);
}

TEST(ForPeopleTest, WhatIsForProgramsGoes) {
  const Report shown = ForPeople(WithColumn(ShownTo::kPrograms, {std::int64_t{7}}));
  EXPECT_TRUE(shown.facts.empty());
  ASSERT_EQ(shown.tables[0].columns.size(), 1U);
  EXPECT_EQ(shown.tables[0].rows[0].size(), 1U);
}

TEST(ForPeopleTest, OneNotableCellKeepsItsColumn) {
  const auto columns = [](std::vector<Cell> cells) {
    return ForPeople(WithColumn(ShownTo::kEveryoneIfNotable, std::move(cells)))
        .tables[0]
        .columns.size();
  };
  EXPECT_EQ(columns({std::int64_t{0}, 0.0, NoValue{"none"}, false, std::string()}), 1U);
  EXPECT_EQ(columns({std::int64_t{0}, std::int64_t{1}}), 2U);
  EXPECT_EQ(columns({NoValue{"none"}, 1e-300}), 2U);
  EXPECT_EQ(columns({false, true}), 2U);
}

}  // namespace
}  // namespace narrowgauge::internal
