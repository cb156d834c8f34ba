#ifndef NARROWGAUGE_REPORT_CELL_VISITOR_H_
#define NARROWGAUGE_REPORT_CELL_VISITOR_H_

namespace narrowgauge::internal {

// Functions for the alternatives of a Cell, for std::visit.
template <typename... Functions>
struct CellVisitor : Functions... {
  using Functions::operator()...;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_CELL_VISITOR_H_
