#ifndef NARROWGAUGE_REPORT_REGISTRY_H_
#define NARROWGAUGE_REPORT_REGISTRY_H_

#include "narrowgauge/report.h"

namespace narrowgauge::internal {

// One per NAME_report.cc; registry.cc lists them in the order of help.
extern const ReportFormat kTableReport;
extern const ReportFormat kCsvReport;
extern const ReportFormat kJsonReport;
extern const ReportFormat kMarkdownReport;

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_REGISTRY_H_
