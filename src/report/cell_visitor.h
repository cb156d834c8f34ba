#ifndef NARROWGAUGE_REPORT_CELL_VISITOR_H_
#define NARROWGAUGE_REPORT_CELL_VISITOR_H_

namespace narrowgauge::internal {

// Functions for the alternatives of a Cell, for std::visit.
template <typename... Functions>
struct CellVisitor : Functions... {
  using Functions::operator()...;
};

// Written out for clang before 17.
template <typename... Functions>
CellVisitor(Functions...) -> CellVisitor<Functions...>;

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_CELL_VISITOR_H_
