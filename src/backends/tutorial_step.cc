#include "src/backends/tutorial_step.h"

#include "src/base/check.h"

namespace narrowgauge::internal {

static_assert(Bf16SquareStep::kSize == kSquareSide);

Bf16SquareStep::Bf16SquareStep(InstructionSet isa)
    : kernels_(KernelsFor(isa)), scratch_(std::make_unique<Scratch>()) {}

std::string_view Bf16SquareStep::KernelName() const { return kernels_.square_bfloat16_name; }

void Bf16SquareStep::Run(std::span<const std::uint16_t> a, std::span<std::uint16_t> out) {
  NG_CHECK(a.size() == kElements && out.size() == kElements);
  kernels_.square_bfloat16(a.data(), scratch_->bytes.data(), out.data());
}

}  // namespace narrowgauge::internal
