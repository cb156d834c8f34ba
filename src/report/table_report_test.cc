#include <gtest/gtest.h>

#include <string>

#include "src/report/registry.h"

namespace narrowgauge {
namespace {

std::string Write(const ReportTable& table) {
  Report report;
  report.tables = {table};
  return internal::kTableReport.write(report);
}

TEST(TableReportTest, NumbersStandRightAndTextLeft) {
  EXPECT_EQ(Write({"rows",
                   "",
                   {{"policy", ""}, {"bytes", ""}, {"exact", ""}},
                   {{"a", std::int64_t{5}, true}, {"longer name", std::int64_t{12345678}, false}}}),
            "policy          bytes  exact\n"
            "-----------  --------  -----\n"
            "a                   5  yes\n"
            "longer name  12345678  no\n");
}

TEST(TableReportTest, HeadersNameUnitsThatKeysDoNot) {
  EXPECT_EQ(Write({"rows",
                   "",
                   {{"sqnr_db", "dB"}, {"size_bytes", "bytes"}, {"time", "ms"}},
                   {{1.0, std::int64_t{2}, 3.0}}}),
            "sqnr_db [dB]  size_bytes  time [ms]\n"
            "------------  ----------  ---------\n"
            "           1           2          3\n");
}

TEST(TableReportTest, AColumnWithoutAnyValueIsOneOfNumbers) {
  EXPECT_EQ(Write({"rows", "", {{"x", ""}}, {{NoValue{"exact"}}, {NoValue{"zero signal"}}}}),
            "                x\n"
            "-----------------\n"
            "            exact\n"
            "n/a (zero signal)\n");
}

TEST(TableReportTest, WidthCountsCodePoints) {
  EXPECT_EQ(Write({"rows",
                   "",
                   {{"x", ""}, {"n", ""}},
                   {{"\u00e9\u2026", std::int64_t{1}}, {"ab\xff", std::int64_t{2}}}}),
            "x    n\n"
            "---  -\n"
            "\u00e9\u2026   1\n"
            "ab\uFFFD  2\n");
}

TEST(TableReportTest, NoRowsAreSaidToBeNone) {
  EXPECT_EQ(Write({"rows", "Skipped", {{"tensor", ""}}, {}}),
            "Skipped\n"
            "tensor\n"
            "------\n"
            "(none)\n");
}

TEST(TableReportTest, SectionsAreABlankLineApart) {
  Report report;
  report.title = "Title";
  report.facts = {{"seed", std::int64_t{0}}, {"share", 0.25}};
  report.notes = {"First.", "Second."};
  EXPECT_EQ(internal::kTableReport.write(report),
            "Title\n\nseed: 0\nshare: 0.25\n\nFirst.\nSecond.\n");
}

TEST(TableReportTest, LongNotesAreWrapped) {
  Report report;
  report.notes = {"Short.", std::string(60, 'a') + " " + std::string(60, 'b')};
  EXPECT_EQ(internal::kTableReport.write(report),
            "Short.\n" + std::string(60, 'a') + "\n    " + std::string(60, 'b') + "\n");
}

}  // namespace
}  // namespace narrowgauge
