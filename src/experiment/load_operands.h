#ifndef NARROWGAUGE_EXPERIMENT_LOAD_OPERANDS_H_
#define NARROWGAUGE_EXPERIMENT_LOAD_OPERANDS_H_

#include <memory>

#include "narrowgauge/experiment.h"
#include "narrowgauge/status.h"
#include "src/experiment/operand.h"

namespace narrowgauge::internal {

// What a measurement is of.
struct Operands {
  std::unique_ptr<Operand> weights;
  // [M, K], a row of which counts as a channel. Null where the error is that of the weights.
  std::unique_ptr<Operand> activations;
};

// The memory of this machine, in bytes.
[[nodiscard]] double PhysicalMemory();

// Opens or draws the operands that the options name. Sizes are checked before anything is
// allocated: kResourceExhausted for what this machine's memory cannot hold. Other errors as of
// Measure.
[[nodiscard]] Result<Operands> LoadOperands(const MeasureOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_LOAD_OPERANDS_H_
