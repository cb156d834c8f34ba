#ifndef NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_
#define NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge::internal {

// The tutorial's step on a (256,256) matrix of bfloat16 codes, row-major: dot(a, a) accumulated in
// float32 in the order of k, rounded once to bfloat16, to nearest even; overflow gives infinity.
struct Bf16SquareStep {
  static constexpr std::size_t kSize = 256;
  static constexpr std::size_t kElements = kSize * kSize;

  explicit Bf16SquareStep(InstructionSet isa);

  // Which kernel does the work; the text lives as long as the program.
  [[nodiscard]] std::string_view kernel_name() const;

  // Both spans hold kElements codes and do not overlap.
  void Run(std::span<const std::uint16_t> a, std::span<std::uint16_t> out);
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_TUTORIAL_STEP_H_
