#include "src/quantize/int8_channel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

constexpr float kLargestCode = 127.0F;
constexpr float kReciprocalOfLargestCode = 1.0F / kLargestCode;

float ScaleOf(float absmax, Quotient quotient) {
  if (absmax == 0.0F) return 1.0F;
  return quotient == Quotient::kDivide ? absmax / kLargestCode : absmax * kReciprocalOfLargestCode;
}

float Flush(float value, Subnormals subnormals) {
  const bool flushed = subnormals == Subnormals::kFlushed && std::fpclassify(value) == FP_SUBNORMAL;
  return flushed ? std::copysign(0.0F, value) : value;
}

// The maximum as XLA reduces it: NaN wins.
float PropagatingMax(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::nanf("");
  return std::max(a, b);
}

}  // namespace

Int8Channels QuantizeInt8Channels(std::span<const float> w, std::int64_t depth,
                                  std::int64_t columns, Quotient quotient, Subnormals subnormals) {
  NG_CHECK(static_cast<std::int64_t>(w.size()) == depth * columns);
  Int8Channels result{std::vector<float>(static_cast<std::size_t>(columns)),
                      std::vector<std::int8_t>(w.size()), std::vector<float>(w.size())};
  for (std::int64_t n = 0; n < columns; ++n) {
    float absmax = 0;
    for (std::int64_t k = 0; k < depth; ++k) {
      const float value = w[static_cast<std::size_t>(k * columns + n)];
      absmax = PropagatingMax(absmax, std::fabs(Flush(value, subnormals)));
    }
    const float scale = Flush(ScaleOf(absmax, quotient), subnormals);
    result.scales[static_cast<std::size_t>(n)] = scale;
    const float reciprocal = Flush(1.0F / scale, subnormals);
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto at = static_cast<std::size_t>(k * columns + n);
      const float value = Flush(w[at], subnormals);
      const float ratio =
          Flush(quotient == Quotient::kDivide ? value / scale : value * reciprocal, subnormals);
      const float code =
          std::isnan(ratio) ? 0.0F : std::clamp(std::nearbyint(ratio), -kLargestCode, kLargestCode);
      result.codes[at] = static_cast<std::int8_t>(code);
      // Through the integer code: a negative zero becomes a positive one.
      result.dequantized[at] = Flush(static_cast<float>(result.codes[at]) * scale, subnormals);
    }
  }
  return result;
}

void QuantizeInt8Panel(const Kernels& kernels, const float* panel, std::int64_t depth,
                       Quotient quotient, float* scales, std::int8_t* codes, float* dequantized) {
  kernels.column_absmax(panel, depth, scales);
  std::array<float, kPanelColumns> factors;
  const bool multiply = quotient == Quotient::kMultiplyByReciprocal;
  for (std::size_t n = 0; n < factors.size(); ++n) {
    scales[n] = ScaleOf(scales[n], quotient);
    factors[n] = multiply ? 1.0F / scales[n] : scales[n];
  }
  kernels.quantize_int8(panel, depth, factors.data(), multiply, scales, codes, dequantized);
}

}  // namespace narrowgauge::internal
