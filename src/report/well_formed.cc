#include "src/report/well_formed.h"

#include <cmath>
#include <initializer_list>
#include <set>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

// The keys of one JSON object, or of one line of CSV.
class Keys {
 public:
  Keys(std::initializer_list<std::string> taken) : taken_(taken) {}

  void Take(const std::string& key) {
    NG_CHECK(!key.empty());
    const bool key_is_new = taken_.insert(key).second;
    const bool reason_is_new = taken_.insert(key + "_reason").second;
    NG_CHECK(key_is_new && reason_is_new);
  }

 private:
  std::set<std::string> taken_;
};

void CheckCell(const Cell& cell) {
  const auto* number = std::get_if<double>(&cell);
  NG_CHECK(number == nullptr || std::isfinite(*number));
  const auto* none = std::get_if<NoValue>(&cell);
  NG_CHECK(none == nullptr || !none->reason.empty());
}

}  // namespace

void CheckWellFormed(const Report& report) {
  Keys object = {"schema", "title", "notes"};
  Keys line = {"reasons"};
  for (const ReportFact& fact : report.facts) {
    object.Take(fact.key);
    line.Take(fact.key);
    CheckCell(fact.value);
  }
  for (const ReportTable& table : report.tables) {
    object.Take(table.key);
    Keys row = {};
    for (const ReportColumn& column : table.columns) {
      row.Take(column.key);
      if (&table == &report.tables.front()) line.Take(column.key);
    }
    for (const std::vector<Cell>& cells : table.rows) {
      NG_CHECK(cells.size() == table.columns.size());
      for (const Cell& cell : cells) CheckCell(cell);
    }
  }
}

}  // namespace narrowgauge::internal
