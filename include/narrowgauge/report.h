#ifndef NARROWGAUGE_REPORT_H_
#define NARROWGAUGE_REPORT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "narrowgauge/status.h"

namespace narrowgauge {

// A cell that has no value, and why: "n/a (zero signal)" in tables, null in JSON.
struct NoValue {
  std::string reason;
};

using Cell = std::variant<NoValue, bool, std::int64_t, double, std::string>;

// Who gets to see a fact or a column. JSON and CSV hold all of them, always; table and Markdown,
// which people read, leave some out.
enum class ShownTo : std::uint8_t {
  kEveryone,
  kEveryoneIfNotable,  // People, unless it is zero, false or without a value throughout.
  kPrograms,
};

struct ReportColumn {
  std::string key;   // Stable: the key in JSON and CSV.
  std::string unit;  // "dB", "bytes", or "" for pure numbers; tables put it into the header.
  ShownTo shown_to = ShownTo::kEveryone;
};

struct ReportFact {
  std::string key;  // As in ReportColumn.
  Cell value;
  ShownTo shown_to = ShownTo::kEveryone;
};

struct ReportTable {
  std::string key;    // The key in JSON.
  std::string title;  // Above the table.
  std::vector<ReportColumn> columns;
  std::vector<std::vector<Cell>> rows;  // Each as long as columns.
};

// A picture of numbers that a table has, for people at a terminal; both axes are logarithmic.
struct ReportPlot {
  struct Point {
    double x = 0;  // Positive.
    Cell y;        // A double that is not negative, or NoValue.
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
  };
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

// A result, apart from how it is written down.
struct Report {
  std::string schema;  // "narrowgauge.measure/1": name and version of the keys below.
  std::string title;
  std::vector<ReportFact> facts;       // What holds for all rows: seed, backend, ...
  std::vector<ReportTable> tables;     // The first is the one that CSV holds.
  std::vector<std::string> notes;      // Sentences for people.
  std::vector<ReportPlot> plots = {};  // For the format `table` only.
};

// One way of writing a report down.
struct ReportFormat {
  std::string_view name;
  std::string_view description;
  std::string (*write)(const Report&);
};

// table, csv, json, markdown.
//   table     aligned columns, significant digits, units in headers, plots, notes wrapped; for
//             people
//   csv       RFC 4180 with "\n" at line ends; the first table; facts in front of each row. Columns
//   do
//             not depend on values: a NoValue is an empty field, and one last column, "reasons",
//             says why: "sqnr_db: exact; rel_frobenius: zero signal"
//   json      one object: schema, title, facts, an array of rows per table, notes; doubles as the
//             shortest digits that read back to the same float64; a NoValue is null, and "K_reason"
//             beside it says why
//   markdown  pipe tables
// All end in a newline and are valid UTF-8, and the same report gives the same bytes. A report must
// have finite doubles only, a reason in every NoValue, and no key twice among its facts, tables and
// the columns of one table.
[[nodiscard]] std::span<const ReportFormat> AllReportFormats();

[[nodiscard]] Result<ReportFormat> FindReportFormat(std::string_view name);

// Returns repr(x) of Python's float: shortest digits that read back, ".0" on integers, exponents
// below 1e-4 and from 1e16 on.
[[nodiscard]] std::string PythonRepr(double x);

// Returns round(x, digits) of Python: correctly rounded from the exact value, exact ties to even.
// digits is from 0 to 22.
[[nodiscard]] double PythonRound(double x, int digits);

// Writes `text` to `path` whole or not at all: a temporary file beside it, fsync, rename.
[[nodiscard]] Result<void> WriteFileAtomically(const std::string& path, std::string_view text);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_REPORT_H_
