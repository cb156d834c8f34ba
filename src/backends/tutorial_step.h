#ifndef NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_
#define NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "narrowgauge/instruction_set.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// The tutorial's step on a (256,256) matrix of bfloat16 codes, row-major: dot(a, a) accumulated in
// float32, rounded once to bfloat16, to nearest even; overflow gives infinity. The order of the
// sums is that of the instruction set's kernel, which KernelName tells.
class Bf16SquareStep {
 public:
  static constexpr std::size_t kSize = 256;
  static constexpr std::size_t kElements = kSize * kSize;

  explicit Bf16SquareStep(InstructionSet isa);

  // The text lives as long as the program.
  [[nodiscard]] std::string_view KernelName() const;

  // Both spans hold kElements codes and do not overlap. Nothing is allocated.
  void Run(std::span<const std::uint16_t> a, std::span<std::uint16_t> out);

 private:
  struct alignas(64) Scratch {
    std::array<std::byte, kSquareScratchBytes> bytes;
  };

  const Kernels& kernels_;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_
