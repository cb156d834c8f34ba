#include "src/kernels/plain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace narrowgauge::internal::plain {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kDoubleMantissaBits = 52;

float FloatFromCode(std::uint16_t code) { return std::bit_cast<float>(std::uint32_t{code} << 16); }

std::uint16_t CodeFromFloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7FC0U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace

double RoundToSum(double value, const SumFormat& format) {
  if (std::isnan(value) || value == 0 || format.mantissa_bits == kDoubleMantissaBits) return value;
  if (std::isinf(value)) return std::copysign(format.overflow, value);
  const int exponent = std::max(std::ilogb(value), format.min_exponent) - format.mantissa_bits;
  const double units = std::ldexp(value, -exponent);
  double rounded = std::trunc(units);
  switch (format.rounding) {
    case SumRounding::kNearestEven:
      rounded = std::nearbyint(units);
      break;
    case SumRounding::kTowardZero:
      break;
    case SumRounding::kToOdd:
      if (rounded != units && std::fmod(rounded, 2) == 0) rounded += std::copysign(1.0, value);
      break;
  }
  const double result = std::ldexp(rounded, exponent);
  if (std::abs(result) > format.largest) {
    const bool to_nearest = format.rounding == SumRounding::kNearestEven;
    return std::copysign(to_nearest ? format.overflow : format.largest, value);
  }
  const bool is_flushed =
      format.flushes_subnormals && std::abs(result) < std::ldexp(1.0, format.min_exponent);
  if (result != 0 && !is_flushed) return result;
  return format.has_negative_zero ? std::copysign(0.0, value) : 0.0;
}

double OddSum(double a, double b) {
  const double total = a + b;
  if (!std::isfinite(total)) return total;
  const double rounded_b = total - a;  // Knuth's two-sum.
  const double lost = (a - (total - rounded_b)) + (b - rounded_b);
  if (lost == 0 || (std::bit_cast<std::uint64_t>(total) & 1U) == 1) return total;
  return std::nextafter(total, lost > 0 ? kInfinity : -kInfinity);
}

double AddToSum(double sum, double term, const SumFormat& format) {
  if (format.mantissa_bits == kDoubleMantissaBits) return sum + term;
  return RoundToSum(OddSum(sum, term), format);
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
