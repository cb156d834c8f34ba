#ifndef NARROWGAUGE_APPS_MEASURE_REPORT_H_
#define NARROWGAUGE_APPS_MEASURE_REPORT_H_

#include <span>
#include <string>

#include "narrowgauge/experiment.h"
#include "narrowgauge/report.h"
#include "narrowgauge/sweep.h"

// The reports of the verb measure. Their keys do not depend on values or policies, only on what was
// asked for: which metrics, how many of the worst channels, which inputs and sweep.

namespace narrowgauge::app {

// What policies cost. Notes are left to the caller, here and below.
[[nodiscard]] Report MeasureReport(const MeasureOptions& options, const MeasureResult& result);

// What policies cost at each value of a sweep, as a table and a plot.
[[nodiscard]] Report SweepReport(const MeasureOptions& options, const Sweep& sweep,
                                 const SweepResult& result);

// What conventions cost, and where they differ.
[[nodiscard]] Report ComparisonReport(const MeasureOptions& options,
                                      const ConventionComparison& comparison);

// How exactly policies explain what a device returned.
[[nodiscard]] Report MatchReport(const MeasureOptions& options, const std::string& output,
                                 const MatchResult& result);

// What policies are.
[[nodiscard]] Report PolicyReport(std::span<const NamedPolicy> policies);

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_MEASURE_REPORT_H_
