#include "src/report/people_text.h"

#include <algorithm>

#include "src/report/cell_visitor.h"
#include "src/report/number_text.h"
#include "src/report/utf8_text.h"

namespace narrowgauge::internal {
namespace {

std::string NoValueText(const NoValue& none) {
  if (none.reason == "exact") return "exact";
  return "n/a (" + VisibleText(none.reason) + ")";
}

}  // namespace

std::string PeopleText(const Cell& cell) {
  return std::visit(CellVisitor{
                        [](const NoValue& none) { return NoValueText(none); },
                        [](bool value) { return std::string(value ? "yes" : "no"); },
                        [](std::int64_t value) { return std::to_string(value); },
                        [](double value) { return SignificantText(value); },
                        [](const std::string& value) { return VisibleText(value); },
                    },
                    cell);
}

std::string HeaderText(const ReportColumn& column) {
  if (column.unit.empty() || column.key.ends_with("_" + column.unit)) return column.key;
  return column.key + " [" + column.unit + "]";
}

bool IsTextColumn(const ReportTable& table, std::size_t column) {
  return table.rows.empty() ||
         std::ranges::any_of(table.rows, [column](const std::vector<Cell>& row) {
           return std::holds_alternative<std::string>(row[column]) ||
                  std::holds_alternative<bool>(row[column]);
         });
}

}  // namespace narrowgauge::internal
