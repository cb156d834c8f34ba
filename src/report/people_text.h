#ifndef NARROWGAUGE_REPORT_PEOPLE_TEXT_H_
#define NARROWGAUGE_REPORT_PEOPLE_TEXT_H_

#include <cstddef>
#include <string>

#include "narrowgauge/report.h"

namespace narrowgauge::internal {

// What the formats for people (table, markdown) write.

// Returns the report without the facts and columns that people are not shown; see ShownTo.
[[nodiscard]] Report ForPeople(const Report& report);

// Returns a cell on one line: doubles to significant digits, integers whole, "yes" or "no", strings
// without control characters, "n/a (zero signal)", and "exact" for the reason of that name.
[[nodiscard]] std::string PeopleText(const Cell& cell);

// Returns the key and the unit, "sqnr_db [dB]"; the key alone where it ends in the unit,
// "size_bytes".
[[nodiscard]] std::string HeaderText(const ReportColumn& column);

// Returns whether a column holds text, which is aligned left: one of its cells is a string or a
// bool, or it has no cells.
[[nodiscard]] bool IsTextColumn(const ReportTable& table, std::size_t column);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_PEOPLE_TEXT_H_
