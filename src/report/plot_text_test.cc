#include "src/report/plot_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/report/registry.h"

namespace narrowgauge::internal {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

ReportPlot Plot(std::vector<ReportPlot::Series> series) {
  return {"k", "error", std::move(series)};
}

TEST(PlotTextTest, LettersStandAtTheirPowersOfTen) {
  EXPECT_EQ(PlotText(Plot({{"rises", {{1, 1e-4}, {10, 1e-3}, {100, 1e-2}}},
                           {"stays", {{1, 1e-3}, {10, 1e-3}, {100, 1e-3}}}})),
            "error against k, both logarithmic\n"
            "\n"
            "  1e-02 |                                                                 A\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "  1e-03 | B                               AB                              B\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "        |\n"
            "  1e-04 | A\n"
            "        +-----------------------------------------------------------------------\n"
            "          1                               10                              100\n"
            "\n"
            "A  rises\n"
            "B  stays\n");
}

TEST(PlotTextTest, ZerosAndWhatHasNoValueHaveLinesOfTheirOwn) {
  const std::string text =
      PlotText(Plot({{"a", {{2, 0.0}, {4, NoValue{"zero signal"}}, {8, 1.0}}}}));
  EXPECT_THAT(text, HasSubstr("  exact | A\n"));
  EXPECT_THAT(text, HasSubstr("    n/a |                                 A\n"));
  EXPECT_THAT(text, HasSubstr("  1e+00 |"));
  // Nothing but zeros has no powers of ten.
  const std::string zeros = PlotText(Plot({{"a", {{2, 0.0}, {4, 0.0}}}}));
  EXPECT_THAT(zeros, HasSubstr("  exact | A "));
  EXPECT_THAT(zeros, Not(HasSubstr("1e")));
}

TEST(PlotTextTest, FewerThanTwoPointsAreNoCurve) {
  EXPECT_EQ(PlotText(Plot({})), "");
  EXPECT_EQ(PlotText(Plot({{"a", {{2, 1.0}}}})), "");
  EXPECT_EQ(PlotText(Plot({{"a", {{2, 1.0}}}, {"b", {{2, 3.0}}}})), "");
  EXPECT_EQ(PlotText(Plot({{"a", {{2, 1.0}, {4, NoValue{"no elements"}}}}})), "");
  EXPECT_EQ(PlotText(Plot({{"a", {{2, NoValue{"x"}}, {4, NoValue{"x"}}}}})), "");
}

TEST(PlotTextTest, EveryLetterIsShownOrSaidToBeMore) {
  // All at the same place: side by side as far as there is room.
  std::vector<ReportPlot::Series> series;
  for (int i = 0; i < 20; ++i) {
    series.push_back({"s" + std::to_string(i), {}});
    for (int k = 0; k <= 10; ++k) series.back().points.push_back({std::ldexp(1.0, k), 0.5});
  }
  const std::string text = PlotText(Plot(series));
  EXPECT_THAT(text, HasSubstr("ABCD+ "));
  EXPECT_THAT(text, HasSubstr("\nT  s19\n+  more of them than there is room for\n"));
  EXPECT_THAT(PlotText(Plot({{"a", {{1, 0.5}, {2, 0.5}}}})), Not(HasSubstr("+  more")));
}

TEST(PlotTextTest, SeriesBeyondTheLettersAreCounted) {
  std::vector<ReportPlot::Series> series(60, {"s", {{1, 1.0}, {2, 2.0}}});
  EXPECT_THAT(PlotText(Plot(series)), HasSubstr("\nz  s\n+  more of them than there is room for\n"
                                                "8 more are not drawn.\n"));
}

TEST(PlotTextTest, FitsEightyColumnsWhateverTheNumbers) {
  for (const double spread : {1.0, 1e-3, 1e-30, 1e-300}) {
    for (const double most : {3.0, 1024.0, 9e18}) {
      std::vector<ReportPlot::Point> points;
      for (int i = 0; i <= 1000; ++i) {
        const double part = i / 1000.0;
        points.push_back({1 + part * (most - 1), std::pow(spread, part) * 1e5});
      }
      const auto lines = Lines(PlotText(Plot({{"a", points}})));
      ASSERT_GT(lines.size(), 6U);
      EXPECT_LT(lines.size(), 26U);
      for (const std::string& line : lines) EXPECT_LE(line.size(), 80U) << line;
    }
  }
}

TEST(PlotTextTest, RowsAreWhereTheLogarithmSays) {
  // Two decades, seven rows each: 10^(-n/7) is n rows down.
  std::vector<ReportPlot::Point> points;
  for (int n = 0; n <= 14; ++n) points.push_back({std::ldexp(1.0, n), std::pow(10, -n / 7.0)});
  const auto lines = Lines(PlotText(Plot({{"a", points}})));
  std::size_t column = 0;
  for (std::size_t n = 0; n <= 14; ++n) {
    const std::size_t found = lines[2 + n].find('A');
    ASSERT_NE(found, std::string::npos) << n;
    EXPECT_GT(found, column) << "each to the right of the one before";
    column = found;
  }
}

TEST(PlotTextTest, OnlyTheTableShowsIt) {
  Report report;
  report.schema = "narrowgauge.test/1";
  report.plots = {Plot({{"a", {{1, 0.5}, {2, 0.25}}}})};
  for (const ReportFormat& format : AllReportFormats()) {
    const bool shown = format.write(report).find("error against k") != std::string::npos;
    EXPECT_EQ(shown, format.name == "table") << format.name;
  }
}

}  // namespace
}  // namespace narrowgauge::internal
