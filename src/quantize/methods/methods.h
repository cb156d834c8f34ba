#ifndef NARROWGAUGE_QUANTIZE_METHODS_METHODS_H_
#define NARROWGAUGE_QUANTIZE_METHODS_METHODS_H_

#include "src/quantize/group.h"

// Every way of finding a range, one file each; registry.cc lists them.

namespace narrowgauge::internal {

extern const RangeMethodInfo kAbsmaxMethod;
extern const RangeMethodInfo kPercentileMethod;
extern const RangeMethodInfo kMseMethod;

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_METHODS_METHODS_H_
