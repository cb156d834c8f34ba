#ifndef NARROWGAUGE_QUANTIZE_INT8_CHANNEL_H_
#define NARROWGAUGE_QUANTIZE_INT8_CHANNEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "narrowgauge/numerics_profile.h"
#include "src/kernels/kernels.h"

// Symmetric int8 with one float32 scale per output channel, as the tutorial has it:
//   scale[n] = max over k of |w[k][n]| / 127, or 1 where that maximum is 0
//   code[k][n] = clip(round-half-even(w[k][n] / scale[n]), -127, 127)
//   dequantized[k][n] = float32(code[k][n] * scale[n])

namespace narrowgauge::internal {

struct Int8Channels {
  std::vector<float> scales;       // N
  std::vector<std::int8_t> codes;  // K x N
  std::vector<float> dequantized;  // K x N
};

// The plain version, for any input, as XLA on a CPU computes it. With
// Quotient::kMultiplyByReciprocal both divisions become products with a rounded reciprocal. With
// Subnormals::kFlushed, subnormal operands and results of arithmetic count as zeros of their sign.
// A channel with a NaN has scale NaN, one with an infinity has an infinite scale; both have codes 0
// and dequantise to NaN.
[[nodiscard]] Int8Channels QuantizeInt8Channels(std::span<const float> w, std::int64_t depth,
                                                std::int64_t columns, Quotient quotient,
                                                Subnormals subnormals);

// The fast version for one panel of finite weights, subnormals kept: the same bits as the plain
// one. scales holds kPanelColumns values, codes and dequantized a panel each.
void QuantizeInt8Panel(const Kernels& kernels, const float* panel, std::int64_t depth,
                       Quotient quotient, float* scales, std::int8_t* codes, float* dequantized);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_INT8_CHANNEL_H_
