#ifndef NARROWGAUGE_EXPERIMENT_STRUCTURED_INPUTS_H_
#define NARROWGAUGE_EXPERIMENT_STRUCTURED_INPUTS_H_

#include <cstdint>
#include <span>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/random.h"
#include "narrowgauge/status.h"
#include "narrowgauge/structured_inputs.h"

namespace narrowgauge::internal {

// Which operands are drawn; the others are read from somewhere.
struct Drawn {
  bool x = false;
  bool w = false;
};

// Whether x and w are made for each other, at one K: the first k of either are nothing by
// themselves. What is not has the same first k of w, and of each row of x, whatever is cut off.
[[nodiscard]] bool AreCoupled(const InputSpec& inputs);

// Whether these inputs can be drawn: kInvalidArgument where they say something of an operand that
// is not, or where this K has no such product.
[[nodiscard]] Result<void> CheckInputs(const InputSpec& inputs, Drawn drawn, std::int64_t depth);

// What to fill. An operand that is not drawn is empty.
struct OperandsToDraw {
  std::int64_t m = 0, k = 0, n = 0;
  std::span<float> x;  // [m][k]
  std::span<float> w;  // [k][n]
  PrngKey x_key, w_key;
  PrngKey shared_key;                              // For what x and w have in common.
  InstructionSet isa = InstructionSet::kBaseline;  // Changes the time, never a bit.
};

// Fills the operands; CheckInputs has accepted them.
void DrawOperands(const InputSpec& inputs, const OperandsToDraw& to_draw);

// What DrawOperands needs beside the operands, in bytes.
[[nodiscard]] double BytesToDraw(const InputSpec& inputs, std::int64_t depth);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_STRUCTURED_INPUTS_H_
