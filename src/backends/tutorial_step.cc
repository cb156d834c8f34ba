#include "src/backends/tutorial_step.h"

#include <array>
#include <bit>
#include <cmath>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

float FromBf16(std::uint16_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

std::uint16_t ToBf16(float value) {
  if (std::isnan(value)) return 0x7FC0;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace

Bf16SquareStep::Bf16SquareStep(InstructionSet) {}

std::string_view Bf16SquareStep::kernel_name() const { return "reference"; }

void Bf16SquareStep::Run(std::span<const std::uint16_t> a, std::span<std::uint16_t> out) {
  NG_CHECK(a.size() == kElements && out.size() == kElements);
  for (std::size_t m = 0; m < kSize; ++m) {
    std::array<float, kSize> sums{};
    for (std::size_t k = 0; k < kSize; ++k) {
      const float left = FromBf16(a[m * kSize + k]);
      for (std::size_t n = 0; n < kSize; ++n) sums[n] += left * FromBf16(a[k * kSize + n]);
    }
    for (std::size_t n = 0; n < kSize; ++n) out[m * kSize + n] = ToBf16(sums[n]);
  }
}

}  // namespace narrowgauge::internal
