#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/report/people_text.h"
#include "src/report/plot_text.h"
#include "src/report/registry.h"
#include "src/report/utf8_text.h"
#include "src/report/well_formed.h"

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kGutter = "  ";
constexpr std::size_t kNoteWidth = 104;
constexpr std::string_view kNoteIndent = "    ";

// One column of text, the header first.
struct TextColumn {
  std::vector<std::string> cells;
  std::size_t width = 0;
  bool align_left = false;
};

TextColumn MakeColumn(const ReportTable& table, std::size_t column) {
  TextColumn text;
  text.align_left = IsTextColumn(table, column);
  text.cells.push_back(HeaderText(table.columns[column]));
  for (const std::vector<Cell>& row : table.rows) text.cells.push_back(PeopleText(row[column]));
  for (const std::string& cell : text.cells) {
    text.width = std::max(text.width, CountCodePoints(cell));
  }
  return text;
}

std::string Padded(const TextColumn& column, std::size_t line) {
  const std::string& cell = column.cells[line];
  const std::string padding(column.width - CountCodePoints(cell), ' ');
  return column.align_left ? cell + padding : padding + cell;
}

// Appends a line without the blanks at its end.
void AppendLine(std::string line, std::string& text) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

std::string TableText(const ReportTable& table) {
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) columns.push_back(MakeColumn(table, i));

  std::string text;
  if (!table.title.empty()) AppendLine(VisibleText(table.title), text);
  std::string rule;
  for (const TextColumn& column : columns) {
    if (!rule.empty()) rule += kGutter;
    rule += std::string(column.width, '-');
  }
  for (std::size_t line = 0; line <= table.rows.size(); ++line) {
    std::string cells;
    for (const TextColumn& column : columns) {
      if (&column != &columns.front()) cells += kGutter;
      cells += Padded(column, line);
    }
    AppendLine(cells, text);
    if (line == 0) AppendLine(rule, text);
  }
  if (table.rows.empty()) AppendLine("(none)", text);
  return text;
}

// Title, facts, tables, plots and notes, a blank line between.
std::string Write(const Report& whole) {
  CheckWellFormed(whole);
  const Report report = ForPeople(whole);
  std::vector<std::string> sections;
  if (!report.title.empty()) sections.push_back(VisibleText(report.title) + "\n");
  std::string facts;
  for (const ReportFact& fact : report.facts) {
    AppendLine(fact.key + ": " + PeopleText(fact.value), facts);
  }
  if (!facts.empty()) sections.push_back(facts);
  for (const ReportTable& table : report.tables) sections.push_back(TableText(table));
  for (const ReportPlot& plot : whole.plots) {
    if (std::string text = PlotText(plot); !text.empty()) sections.push_back(std::move(text));
  }
  std::string notes;
  for (const std::string& note : report.notes) {
    for (std::string& line : WrapText(VisibleText(note), kNoteWidth, kNoteIndent)) {
      AppendLine(std::move(line), notes);
    }
  }
  if (!notes.empty()) sections.push_back(notes);

  std::string text;
  for (const std::string& section : sections) {
    if (!text.empty()) text += "\n";
    text += section;
  }
  return text.empty() ? "\n" : text;
}

}  // namespace

const ReportFormat kTableReport = {"table", "aligned columns for people, six significant digits",
                                   Write};

}  // namespace narrowgauge::internal
