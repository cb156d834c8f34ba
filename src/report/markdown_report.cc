#include "src/report/people_text.h"
#include "src/report/registry.h"
#include "src/report/utf8_text.h"
#include "src/report/well_formed.h"

namespace narrowgauge::internal {
namespace {

bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// An underscore inside a word is only itself (CommonMark 0.30, section 6.2); keys stay readable.
bool IsInsideWord(std::string_view text, std::size_t i) {
  return i > 0 && i + 1 < text.size() && IsWordCharacter(text[i - 1]) &&
         IsWordCharacter(text[i + 1]);
}

// Escapes what would be markup on one line, or end a cell of a table. Brackets are markup only
// where a link follows; those of units stay readable.
std::string Escaped(std::string_view text) {
  constexpr std::string_view kMarkup = "\\|`*<&~";
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_markup = kMarkup.find(text[i]) != std::string_view::npos ||
                           (text[i] == '_' && !IsInsideWord(text, i)) ||
                           text.substr(i).starts_with("](");
    if (is_markup) escaped += '\\';
    escaped += text[i];
  }
  return escaped;
}

std::string TableText(const ReportTable& table) {
  std::string header = "|", rule = "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    header += " " + Escaped(HeaderText(table.columns[i])) + " |";
    rule += IsTextColumn(table, i) ? " :--- |" : " ---: |";
  }
  std::string text = header + "\n" + rule + "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) text += " " + Escaped(PeopleText(cell)) + " |";
    text += "\n";
  }
  return text;
}

// Headings, a list of facts, tables, and a paragraph for each note, a blank line between.
std::string Write(const Report& whole) {
  CheckWellFormed(whole);
  const Report report = ForPeople(whole);
  std::vector<std::string> blocks;
  if (!report.title.empty()) blocks.push_back("## " + Escaped(VisibleText(report.title)) + "\n");
  std::string facts;
  for (const ReportFact& fact : report.facts) {
    facts += "- " + Escaped(fact.key) + ": " + Escaped(PeopleText(fact.value)) + "\n";
  }
  if (!facts.empty()) blocks.push_back(facts);
  for (const ReportTable& table : report.tables) {
    if (!table.title.empty()) blocks.push_back("### " + Escaped(VisibleText(table.title)) + "\n");
    blocks.push_back(TableText(table));
  }
  for (const std::string& note : report.notes) {
    blocks.push_back(Escaped(VisibleText(note)) + "\n");
  }

  std::string text;
  for (const std::string& block : blocks) {
    if (!text.empty()) text += "\n";
    text += block;
  }
  return text.empty() ? "\n" : text;
}

}  // namespace

const ReportFormat kMarkdownReport = {"markdown", "pipe tables, six significant digits", Write};

}  // namespace narrowgauge::internal
