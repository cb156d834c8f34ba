#include "src/report/people_text.h"

#include <algorithm>
#include <cstddef>

#include "src/report/cell_visitor.h"
#include "src/report/number_text.h"
#include "src/report/utf8_text.h"

namespace narrowgauge::internal {
namespace {

std::string NoValueText(const NoValue& none) {
  if (none.reason == "exact") return "exact";
  return "n/a (" + VisibleText(none.reason) + ")";
}

bool IsNotable(const Cell& cell) {
  return std::visit(CellVisitor{
                        [](const NoValue&) { return false; },
                        [](bool value) { return value; },
                        [](std::int64_t value) { return value != 0; },
                        [](double value) { return value != 0; },
                        [](const std::string& value) { return !value.empty(); },
                    },
                    cell);
}

bool IsShown(ShownTo shown_to, bool notable) {
  return shown_to == ShownTo::kEveryone || (shown_to == ShownTo::kEveryoneIfNotable && notable);
}

ReportTable ForPeople(const ReportTable& table) {
  ReportTable shown{table.key, table.title, {}, std::vector<std::vector<Cell>>(table.rows.size())};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ReportColumn& column = table.columns[i];
    const bool notable = std::ranges::any_of(
        table.rows, [i](const std::vector<Cell>& row) { return IsNotable(row[i]); });
    if (!IsShown(column.shown_to, notable)) continue;
    shown.columns.push_back(column);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      shown.rows[row].push_back(table.rows[row][i]);
    }
  }
  return shown;
}

}  // namespace

Report ForPeople(const Report& report) {
  Report shown{report.schema, report.title, {}, {}, report.notes};
  for (const ReportFact& fact : report.facts) {
    if (IsShown(fact.shown_to, IsNotable(fact.value))) shown.facts.push_back(fact);
  }
  for (const ReportTable& table : report.tables) shown.tables.push_back(ForPeople(table));
  return shown;
}

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
