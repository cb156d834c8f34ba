#ifndef NARROWGAUGE_KERNELS_KERNELS_H_
#define NARROWGAUGE_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge::internal {

// Output channels in a panel; see kernels.inc.
inline constexpr std::int64_t kPanelColumns = 64;

// Side of the matrix that square_bfloat16 multiplies, and the scratch memory it needs.
inline constexpr std::int64_t kSquareSide = 256;
inline constexpr std::size_t kSquareScratchBytes = std::size_t{2} * 256 * 256 * sizeof(float);

// The kernels of one instruction set.
struct Kernels {
#define NG_KERNEL(member, Function, promise, return_type, ...) return_type (*member)(__VA_ARGS__);
#include "src/kernels/kernels.inc"
#undef NG_KERNEL
  std::string_view square_bfloat16_name;
};

// Returns the best kernels that `isa` may use. The machine must support it.
[[nodiscard]] const Kernels& KernelsFor(InstructionSet isa);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_KERNELS_KERNELS_H_
