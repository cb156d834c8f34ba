#ifndef NARROWGAUGE_REPORT_WELL_FORMED_H_
#define NARROWGAUGE_REPORT_WELL_FORMED_H_

#include "narrowgauge/report.h"

namespace narrowgauge::internal {

// Checks what every format relies on, in every format, so that none hides a fault from the others:
// rows are as long as their columns; doubles are finite (else they are a NoValue); every NoValue
// has a reason; no two values would get the same key in JSON or the same column in CSV. "K_reason"
// is K's own.
void CheckWellFormed(const Report& report);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_WELL_FORMED_H_
