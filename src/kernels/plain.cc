#include "src/kernels/plain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace narrowgauge::internal::plain {
namespace {

float FloatFromCode(std::uint16_t code) { return std::bit_cast<float>(std::uint32_t{code} << 16); }

std::uint16_t CodeFromFloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7FC0U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace

double AddRoundedToBFloat16(double sum, double product) {
  double total = sum + product;
  if (!std::isfinite(total) || total == 0) return total;
  // What the float64 addition lost (Knuth's two-sum), kept as an odd last bit.
  const double rounded_product = total - sum;
  const double lost = (sum - (total - rounded_product)) + (product - rounded_product);
  if (lost != 0 && (std::bit_cast<std::uint64_t>(total) & 1U) == 0) {
    total = std::nextafter(total, lost > 0 ? std::numeric_limits<double>::infinity()
                                           : -std::numeric_limits<double>::infinity());
  }
  // The distance between neighbouring bfloat16 values here, subnormals included.
  const double quantum = std::ldexp(1.0, std::max(std::ilogb(total), -126) - 7);
  const double rounded = std::nearbyint(total / quantum) * quantum;
  if (std::abs(rounded) >= 0x1p128) {
    return std::copysign(std::numeric_limits<double>::infinity(), rounded);
  }
  return rounded;
}

void DotFloat32(const float* x, const float* w, std::int64_t rows, std::int64_t depth,
                std::int64_t columns, std::int64_t flip, float* out) {
  for (std::int64_t m = 0; m < rows; ++m) {
    for (std::int64_t n = 0; n < columns; ++n) {
      float sum = 0;
      for (std::int64_t step = 0; step < depth; ++step) {
        const std::int64_t k = step ^ flip;
        sum = std::fma(x[m * depth + k], w[k * columns + n], sum);
      }
      out[m * columns + n] = sum;
    }
  }
}

void DotFloat64(const float* x, const float* w, std::int64_t rows, std::int64_t depth,
                std::int64_t columns, double* out) {
  for (std::int64_t m = 0; m < rows; ++m) {
    for (std::int64_t n = 0; n < columns; ++n) {
      double sum = 0;
      double lost = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        const double product =
            static_cast<double>(x[m * depth + k]) * static_cast<double>(w[k * columns + n]);
        const double total = sum + product;
        const double rounded_product = total - sum;
        lost += (sum - (total - rounded_product)) + (product - rounded_product);
        sum = total;
      }
      out[m * columns + n] = sum + lost;
    }
  }
}

void DotBFloat16(const float* x, const float* w, std::int64_t rows, std::int64_t depth,
                 std::int64_t columns, float* out) {
  for (std::int64_t m = 0; m < rows; ++m) {
    for (std::int64_t n = 0; n < columns; ++n) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        sum = AddRoundedToBFloat16(
            sum, static_cast<double>(x[m * depth + k]) * static_cast<double>(w[k * columns + n]));
      }
      out[m * columns + n] = static_cast<float>(sum);
    }
  }
}

void QuantizeInt8(const float* w, std::int64_t depth, std::int64_t columns, const float* factor,
                  bool multiply, const float* scale, std::int8_t* codes, float* dequantized) {
  for (std::int64_t k = 0; k < depth; ++k) {
    for (std::int64_t n = 0; n < columns; ++n) {
      const std::int64_t at = k * columns + n;
      const float quotient = multiply ? w[at] * factor[n] : w[at] / factor[n];
      const float code =
          std::isnan(quotient) ? 0.0F : std::clamp(std::nearbyint(quotient), -127.0F, 127.0F);
      codes[at] = static_cast<std::int8_t>(code);
      dequantized[at] = static_cast<float>(codes[at]) * scale[n];
    }
  }
}

void SquareBFloat16(const std::uint16_t* a, std::int64_t side, std::uint16_t* out) {
  for (std::int64_t m = 0; m < side; ++m) {
    for (std::int64_t n = 0; n < side; ++n) {
      float sum = 0;
      for (std::int64_t k = 0; k < side; ++k) {
        sum = std::fma(FloatFromCode(a[m * side + k]), FloatFromCode(a[k * side + n]), sum);
      }
      out[m * side + n] = CodeFromFloat(sum);
    }
  }
}

}  // namespace narrowgauge::internal::plain
