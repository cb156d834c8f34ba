#include "src/report/plot_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/check.h"
#include "src/report/number_text.h"
#include "src/report/utf8_text.h"

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kMarks = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char kMoreMarks = '+';

constexpr int kWidth = 80;
constexpr int kLabelWidth = 7;
constexpr int kColumns = kWidth - kLabelWidth - 3;  // Right of the axis and a blank.
constexpr int kMostRows = 16;

// One above the other, as far as there are such points.
constexpr std::string_view kExact = "exact";
constexpr std::string_view kNoValue = "n/a";

// Where the values of y lie: decades from the top row down.
class Decades {
 public:
  Decades(double least, double most)
      : top_(static_cast<int>(std::ceil(std::log10(most)))),
        bottom_(std::min(static_cast<int>(std::floor(std::log10(least))), top_ - 1)),
        rows_of_decade_(std::max(1, (kMostRows - 1) / (top_ - bottom_))),
        decades_of_row_((top_ - bottom_ - 1) / (kMostRows - 1) + 1) {}

  [[nodiscard]] int Rows() const { return RowAt(bottom_) + 1; }
  [[nodiscard]] int RowOf(double y) const { return RowAt(std::log10(y)); }

  // "1e-03" where a row is a power of ten, else "".
  [[nodiscard]] std::string Label(int row) const {
    if (row % rows_of_decade_ != 0) return "";
    return fmt::format("1e{:+03}", top_ - row / rows_of_decade_ * decades_of_row_);
  }

 private:
  [[nodiscard]] int RowAt(double log) const {
    return static_cast<int>(std::lround((top_ - log) * rows_of_decade_ / decades_of_row_));
  }

  int top_, bottom_;
  int rows_of_decade_;
  int decades_of_row_;  // More than one only where not even those find room.
};

// The marks of one line, by their column.
using Line = std::map<int, std::string>;

class Plotter {
 public:
  explicit Plotter(const ReportPlot& plot) : plot_(plot) {
    const std::size_t drawn = std::min(plot.series.size(), kMarks.size());
    for (std::size_t i = 0; i < drawn; ++i) {
      for (const ReportPlot::Point& point : plot.series[i].points) {
        NG_CHECK(point.x > 0 && std::isfinite(point.x));
        points_.push_back({point.x, point.y, kMarks[i]});
      }
    }
    std::ranges::sort(points_, {}, &MarkedPoint::x);
  }

  [[nodiscard]] std::string Text() {
    const auto has_value = [](const MarkedPoint& point) {
      return std::holds_alternative<double>(point.y);
    };
    if (std::ranges::count_if(points_, has_value) < 2) return "";
    if (points_.front().x == points_.back().x) return "";
    PlaceColumns();
    std::string text = fmt::format("{} against {}, both logarithmic\n\n",
                                   VisibleText(plot_.y_label), VisibleText(plot_.x_label));
    AppendRows(text);
    AppendColumnLabels(text);
    AppendLegend(text);
    return text;
  }

 private:
  struct MarkedPoint {
    double x;
    Cell y;
    char mark;
  };

  static std::string XText(double x) { return SignificantText(x); }

  void PlaceColumns() {
    const double first = std::log(points_.front().x);
    const double last = std::log(points_.back().x);
    const int right = kColumns - std::max(6, static_cast<int>(XText(points_.back().x).size()));
    for (const MarkedPoint& point : points_) {
      columns_[point.x] =
          static_cast<int>(std::lround((std::log(point.x) - first) / (last - first) * right));
    }
  }

  // Up to the next column with marks, but for a blank.
  [[nodiscard]] std::size_t RoomAt(int column) const {
    int next = kColumns + 1;
    for (const auto& [x, other] : columns_) {
      if (other > column) next = std::min(next, other);
    }
    return static_cast<std::size_t>(std::max(1, next - column - 1));
  }

  void Mark(const MarkedPoint& point, Line& line) const {
    std::string& marks = line[columns_.at(point.x)];
    if (marks.find(point.mark) == std::string::npos) marks += point.mark;
  }

  void AppendLine(std::string_view label, const Line& line, std::string& text) {
    std::string cells(static_cast<std::size_t>(kColumns), ' ');
    for (const auto& [column, all] : line) {
      std::string marks = all;
      std::ranges::sort(marks);
      const std::size_t room = RoomAt(column);
      if (marks.size() > room) {
        marks.resize(room);
        marks.back() = kMoreMarks;
        has_more_ = true;
      }
      cells.replace(static_cast<std::size_t>(column), marks.size(), marks);
    }
    cells.erase(cells.find_last_not_of(' ') + 1);
    text += fmt::format("{:>{}} |{}{}\n", label, kLabelWidth, cells.empty() ? "" : " ", cells);
  }

  void AppendRows(std::string& text) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    Line exact;
    Line none;
    for (const MarkedPoint& point : points_) {
      const double* const y = std::get_if<double>(&point.y);
      if (y == nullptr) {
        Mark(point, none);
      } else if (*y == 0) {
        Mark(point, exact);
      } else {
        NG_CHECK(*y > 0);
        least = std::min(least, *y);
        most = std::max(most, *y);
      }
    }
    if (most > 0) {
      const Decades decades(least, most);
      std::vector<Line> lines(static_cast<std::size_t>(decades.Rows()));
      for (const MarkedPoint& point : points_) {
        const double* const y = std::get_if<double>(&point.y);
        if (y != nullptr && *y > 0) {
          Mark(point, lines[static_cast<std::size_t>(decades.RowOf(*y))]);
        }
      }
      for (int row = 0; row < decades.Rows(); ++row) {
        AppendLine(decades.Label(row), lines[static_cast<std::size_t>(row)], text);
      }
    }
    if (!exact.empty()) AppendLine(kExact, exact, text);
    if (!none.empty()) AppendLine(kNoValue, none, text);
  }

  void AppendColumnLabels(std::string& text) const {
    text += fmt::format("{:>{}} +{:-<{}}\n", "", kLabelWidth, "", kColumns + 1);
    std::string labels;
    for (const auto& [x, column] : columns_) {
      const auto at = static_cast<std::size_t>(column);
      if (!labels.empty() && labels.size() >= at) continue;  // No room for a blank before it.
      labels.resize(at, ' ');
      labels += XText(x);
    }
    text += fmt::format("{:>{}}{}\n", "", kLabelWidth + 3, labels);
  }

  void AppendLegend(std::string& text) const {
    text += "\n";
    for (std::size_t i = 0; i < plot_.series.size() && i < kMarks.size(); ++i) {
      text += fmt::format("{}  {}\n", kMarks[i], VisibleText(plot_.series[i].name));
    }
    if (has_more_) text += fmt::format("{}  more of them than there is room for\n", kMoreMarks);
    if (plot_.series.size() > kMarks.size()) {
      text += fmt::format("{} more are not drawn.\n", plot_.series.size() - kMarks.size());
    }
  }

  const ReportPlot& plot_;
  std::vector<MarkedPoint> points_;  // By x.
  std::map<double, int> columns_;
  bool has_more_ = false;
};

}  // namespace

std::string PlotText(const ReportPlot& plot) { return Plotter(plot).Text(); }

}  // namespace narrowgauge::internal
