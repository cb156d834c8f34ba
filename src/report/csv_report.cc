#include "src/base/utf8.h"
#include "src/report/cell_visitor.h"
#include "src/report/number_text.h"
#include "src/report/registry.h"
#include "src/report/well_formed.h"

namespace narrowgauge::internal {
namespace {

// RFC 4180: a field with a comma, a quote or a line end is quoted, and its quotes are doubled.
std::string Quoted(std::string_view text) {
  const std::string valid = ReplaceInvalidUtf8(text);
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char c : valid) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string FieldText(const Cell& cell) {
  return std::visit(CellVisitor{
                        [](const NoValue&) { return std::string(); },
                        [](bool value) { return std::string(value ? "true" : "false"); },
                        [](std::int64_t value) { return std::to_string(value); },
                        [](double value) { return ShortestText(value); },
                        [](const std::string& value) { return Quoted(value); },
                    },
                    cell);
}

// One line, and why some of its fields are empty.
class Line {
 public:
  void Add(std::string_view key, const Cell& cell) {
    fields_ += FieldText(cell) + ",";
    const auto* none = std::get_if<NoValue>(&cell);
    if (none == nullptr) return;
    if (!reasons_.empty()) reasons_ += "; ";
    reasons_ += std::string(key) + ": " + none->reason;
  }

  [[nodiscard]] std::string Text() const { return fields_ + Quoted(reasons_) + "\n"; }

 private:
  std::string fields_;
  std::string reasons_;
};

std::string Write(const Report& report) {
  CheckWellFormed(report);
  std::string text;
  Line facts;
  for (const ReportFact& fact : report.facts) {
    text += Quoted(fact.key) + ",";
    facts.Add(fact.key, fact.value);
  }
  if (report.tables.empty()) {
    return text + "reasons\n" + (report.facts.empty() ? "" : facts.Text());
  }

  const ReportTable& table = report.tables.front();
  for (const ReportColumn& column : table.columns) text += Quoted(column.key) + ",";
  text += "reasons\n";
  for (const std::vector<Cell>& row : table.rows) {
    Line line = facts;
    for (std::size_t i = 0; i < row.size(); ++i) line.Add(table.columns[i].key, row[i]);
    text += line.Text();
  }
  return text;
}

}  // namespace

const ReportFormat kCsvReport = {"csv", "the first table for scripts, facts in front of each row",
                                 Write};

}  // namespace narrowgauge::internal
