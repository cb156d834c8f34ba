#ifndef NARROWGAUGE_REPORT_PLOT_TEXT_H_
#define NARROWGAUGE_REPORT_PLOT_TEXT_H_

#include <string>

#include "narrowgauge/report.h"

namespace narrowgauge::internal {

// Returns a plot in plain characters, at most 80 columns wide but for long names: both axes
// logarithmic, a letter for each series, letters that would hide each other side by side. Zeros and
// points without a value have lines of their own below. Empty if there are fewer than two points,
// or all at one x: that is no curve.
[[nodiscard]] std::string PlotText(const ReportPlot& plot);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_PLOT_TEXT_H_
