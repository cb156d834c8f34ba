#include "src/numerics/bulk_convert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

constexpr std::uint32_t kNoCode = ~std::uint32_t{0};

// Returns 2^exponent as float32 bits; a normal float32.
constexpr std::uint32_t PowerOfTwoBits(int exponent) {
  return static_cast<std::uint32_t>(exponent + 127) << 23;
}

std::optional<CodecKind> KindOf(const DTypeInfo& info) {
  if (info.kind == DTypeKind::kInteger) {
    if (info.total_bits <= 16) return CodecKind::kInteger;
    return std::nullopt;
  }
  const bool ieee = info.special_values == SpecialValues::kIeee;
  if (!info.is_signed) {
    const bool power_of_two = !info.has_zero && info.mantissa_bits == 0 &&
                              info.exponent_bits == 8 && info.exponent_bias == 127 &&
                              info.special_values == SpecialValues::kNanAllOnes;
    if (power_of_two) return CodecKind::kPowerOfTwo;
    return std::nullopt;
  }
  if (!info.has_zero) return std::nullopt;
  if (info.exponent_bits == 8 && info.exponent_bias == 127 && ieee && info.mantissa_bits > 0 &&
      info.mantissa_bits < 23) {
    return CodecKind::kWideFloat;
  }
  // The anchor 2^(23 - mantissa_bits) above twice the largest binade, and the quantum below the
  // smallest, must be normals of float32.
  const int largest_exponent = (1 << info.exponent_bits) - 1 - info.exponent_bias;
  const int smallest_exponent = 1 - info.exponent_bias;
  const bool fits = info.exponent_bits < 8 && info.total_bits <= 16 && info.mantissa_bits > 0 &&
                    largest_exponent + 1 + 23 - info.mantissa_bits <= 127 &&
                    smallest_exponent - info.mantissa_bits >= -126;
  if (fits) return CodecKind::kNarrowFloat;
  return std::nullopt;
}

// Returns the greatest float32 that is rounded to the largest finite value: half a step above it,
// or just below that if a tie goes to the code after it. Means nothing for bfloat16, whose half
// step lies beyond what matters.
float LastWithin(const DTypeInfo& info, std::uint64_t largest_code) {
  const float largest = DecodeFloat32(info, largest_code);
  const float half_step = (largest - DecodeFloat32(info, largest_code - 1)) / 2;
  const float tie = largest + half_step;
  return largest_code % 2 == 0 ? tie : std::nextafter(tie, 0.0F);
}

}  // namespace

std::optional<CodecConstants> MakeCodecConstants(const DTypeInfo& info, OverflowMode overflow) {
  const auto kind = KindOf(info);
  if (!kind) return std::nullopt;
  CodecConstants constants{.kind = *kind, .total_bits = info.total_bits};
  const std::uint64_t largest_code = LargestFiniteCode(info);
  constants.largest = DecodeFloat32(info, largest_code);
  constants.largest_code = static_cast<std::uint32_t>(largest_code);
  if (*kind == CodecKind::kInteger) {
    constants.lowest = DecodeFloat32(info, Encode(info, -std::numeric_limits<double>::infinity()));
    return constants;
  }
  const std::uint64_t overflow_code =
      Encode(info, std::numeric_limits<double>::infinity(), RoundingMode::kNearestEven, overflow);
  // Kernels take the minimum of a code and this.
  NG_CHECK(overflow_code == largest_code || overflow_code == largest_code + 1);
  constants.mantissa_bits = info.mantissa_bits;
  constants.has_negative_zero = info.special_values != SpecialValues::kNanNegativeZero;
  constants.smallest_normal = PowerOfTwoBits(info.has_zero ? 1 - info.exponent_bias : -126);
  constants.overflow_code = static_cast<std::uint32_t>(overflow_code);
  constants.infinity_code =
      info.special_values == SpecialValues::kIeee ? constants.largest_code + 1 : kNoCode;
  constants.nan_code = static_cast<std::uint32_t>(info.canonical_nan);
  constants.last_within = LastWithin(info, largest_code);
  constants.overflow_value = DecodeFloat32(info, overflow_code);
  constants.nan_value = std::bit_cast<std::uint32_t>(DecodeFloat32(info, info.canonical_nan));
  return constants;
}

void EncodeBulk(const Kernels& kernels, const DTypeInfo& info, std::span<const float> values,
                RoundingMode rounding, OverflowMode overflow, std::span<std::byte> codes) {
  NG_CHECK(rounding != RoundingMode::kStochastic);
  const std::size_t bytes = info.total_bits > 32 ? 8 : CodeBytes(info.total_bits);
  NG_CHECK(codes.size() == values.size() * bytes);
  if (rounding == RoundingMode::kNearestEven) {
    if (const auto constants = MakeCodecConstants(info, overflow)) {
      kernels.encode(values.data(), static_cast<std::int64_t>(values.size()), *constants,
                     codes.data());
      return;
    }
  }
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t code = EncodeFloat32(info, values[i], rounding, overflow);
    std::memcpy(codes.data() + i * bytes, &code, bytes);
  }
}

void DecodeBulk(const Kernels& kernels, const DTypeInfo& info, std::span<const std::byte> codes,
                std::span<float> values) {
  const std::size_t bytes = info.total_bits > 32 ? 8 : CodeBytes(info.total_bits);
  NG_CHECK(codes.size() == values.size() * bytes);
  if (const auto constants = MakeCodecConstants(info, OverflowMode::kNative)) {
    kernels.decode(codes.data(), static_cast<std::int64_t>(values.size()), *constants,
                   values.data());
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint64_t code = 0;
    std::memcpy(&code, codes.data() + i * bytes, bytes);
    values[i] = DecodeFloat32(info, code);
  }
}

}  // namespace narrowgauge::internal
