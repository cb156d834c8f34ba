#ifndef NARROWGAUGE_EXPERIMENT_WORK_ESTIMATE_H_
#define NARROWGAUGE_EXPERIMENT_WORK_ESTIMATE_H_

#include <cstdint>
#include <span>

#include "narrowgauge/experiment.h"
#include "src/experiment/load_operands.h"

namespace narrowgauge::internal {

// Tells the options' `estimate`, if there is one, what these products will take: the time of a
// piece of random operands, up to 16 x 2048 x 64 on each thread, under the same policies, and as
// much for all that is like it. Says nothing where so little is to be done that nobody waits for
// it, or if the piece cannot be measured. `depths` are the K of the products, the operands' own or
// less.
void EstimateWork(const MeasureOptions& options, std::span<const NamedPolicy> policies,
                  const Operands& operands, std::span<const std::int64_t> depths);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_WORK_ESTIMATE_H_
