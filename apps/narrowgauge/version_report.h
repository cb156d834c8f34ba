#ifndef NARROWGAUGE_APPS_VERSION_REPORT_H_
#define NARROWGAUGE_APPS_VERSION_REPORT_H_

#include "narrowgauge/report.h"
#include "narrowgauge/status.h"

namespace narrowgauge::app {

// What --version --verbose shows: the version, the machine's instruction sets, and the kernels that
// multiply on it, each with its promise. Fails as SelectInstructionSet does.
[[nodiscard]] Result<Report> VersionReport();

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_VERSION_REPORT_H_
