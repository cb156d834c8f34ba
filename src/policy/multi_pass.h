#ifndef NARROWGAUGE_POLICY_MULTI_PASS_H_
#define NARROWGAUGE_POLICY_MULTI_PASS_H_

#include "narrowgauge/accumulation.h"
#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// Returns the passes of an accumulation that has several, in the order of its hardware's compiler,
// else in XLA's for GPUs. kInvalidArgument if that compiler has none of such parts or so many.
[[nodiscard]] Result<MultiPass> MultiPassOf(const AccumulationSpec& accumulation);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_POLICY_MULTI_PASS_H_
