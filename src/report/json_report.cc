#include "src/report/cell_visitor.h"
#include "src/report/json_text.h"
#include "src/report/registry.h"
#include "src/report/well_formed.h"

namespace narrowgauge::internal {
namespace {

using nlohmann::ordered_json;

void AddCell(const std::string& key, const Cell& cell, ordered_json& object) {
  std::visit(CellVisitor{
                 [&](const NoValue& none) {
                   object[key] = nullptr;
                   object[key + "_reason"] = none.reason;
                 },
                 [&](const auto& value) { object[key] = value; },
             },
             cell);
}

ordered_json Rows(const ReportTable& table) {
  ordered_json rows = ordered_json::array();
  for (const std::vector<Cell>& row : table.rows) {
    ordered_json object = ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) AddCell(table.columns[i].key, row[i], object);
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string Write(const Report& report) {
  CheckWellFormed(report);
  ordered_json object;
  object["schema"] = report.schema;
  if (!report.title.empty()) object["title"] = report.title;
  for (const ReportFact& fact : report.facts) AddCell(fact.key, fact.value, object);
  for (const ReportTable& table : report.tables) object[table.key] = Rows(table);
  object["notes"] = report.notes;
  return JsonText(object) + "\n";
}

}  // namespace

const ReportFormat kJsonReport = {"json", "one object for programs, numbers to the last bit",
                                  Write};

}  // namespace narrowgauge::internal
