#ifndef NARROWGAUGE_METRICS_REGISTRY_H_
#define NARROWGAUGE_METRICS_REGISTRY_H_

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

// One per file of this folder; registry.cc lists them in the order of columns.
extern const Metric kMaxAbsErr;
extern const Metric kMeanAbsErr;
extern const Metric kSqnrDb;
extern const Metric kRelFrobenius;
extern const Metric kMaxRelErr;
extern const Metric kCosine;
extern const Metric kUlpErr;
extern const Metric kBackwardErr;

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_REGISTRY_H_
