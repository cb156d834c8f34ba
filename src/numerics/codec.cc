#include "src/numerics/codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "narrowgauge/codec.h"
#include "src/numerics/rounding.h"

namespace narrowgauge::internal {
namespace {

constexpr std::uint64_t LowBits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// All bits but the sign.
std::uint64_t MagnitudeMask(const DTypeInfo& info) {
  return LowBits(info.total_bits - (info.is_signed ? 1 : 0));
}

std::uint64_t SignBit(const DTypeInfo& info) {
  return info.is_signed ? std::uint64_t{1} << (info.total_bits - 1) : 0;
}

// The exponent of the smallest value with a hidden bit; subnormals share its spacing.
int SmallestExponent(const DTypeInfo& info) { return (info.has_zero ? 1 : 0) - info.exponent_bias; }

// The finite |value| as significand * 2^(exponent - 52). The significand has 53 bits, or fewer if
// the value is zero or subnormal, whose exponent is that of the smallest normal.
struct Float64Parts {
  std::uint64_t significand;
  int exponent;
};

Float64Parts SplitMagnitude(double value) {
  const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(value) & LowBits(63);
  const int field = static_cast<int>(magnitude >> 52);
  const std::uint64_t mantissa = magnitude & LowBits(52);
  if (field == 0) return {mantissa, -1022};
  return {mantissa | std::uint64_t{1} << 52, field - 1023};
}

std::uint64_t EncodeInteger(const DTypeInfo& info, double value, RoundingMode rounding,
                            std::uint64_t random) {
  if (std::isnan(value)) return 0;
  const bool negative = std::signbit(value);
  const std::uint64_t largest = MagnitudeMask(info) + (negative ? 1 : 0);
  if (negative && !info.is_signed) return 0;
  const Float64Parts parts = SplitMagnitude(value);
  const std::uint64_t magnitude =
      parts.exponent >= info.total_bits  // Infinity, too.
          ? largest
          : std::min(largest,
                     ShiftRightRounded(parts.significand, 52 - parts.exponent, rounding, random));
  return (negative ? ~magnitude + 1 : magnitude) & LowBits(info.total_bits);
}

double DecodeInteger(const DTypeInfo& info, std::uint64_t code) {
  if ((code & SignBit(info)) == 0) return static_cast<double>(code);
  return -static_cast<double>((~code + 1) & LowBits(info.total_bits));
}

// Returns the code of |value| as if the exponent field went on for ever.
std::uint64_t RoundMagnitude(const DTypeInfo& info, double value, RoundingMode rounding,
                             std::uint64_t random) {
  const Float64Parts parts = SplitMagnitude(value);
  const int smallest = SmallestExponent(info);
  const int exponent = std::max(parts.exponent, smallest);
  const int shift = 52 - info.mantissa_bits + (exponent - parts.exponent);
  const std::uint64_t rounded = ShiftRightRounded(parts.significand, shift, rounding, random);
  // The hidden bit is one unit of the exponent field, so adding it lets a carry pass into the
  // exponent. With a zero, it stands for the step from subnormals to exponent 1; without, the field
  // of `smallest` is 0 and it counts for nothing.
  const std::uint64_t code =
      (static_cast<std::uint64_t>(exponent - smallest) << info.mantissa_bits) + rounded;
  if (info.has_zero) return code;
  const std::uint64_t hidden = std::uint64_t{1} << info.mantissa_bits;
  return code > hidden ? code - hidden : 0;
}

// Returns the magnitude that overflow leads to.
std::uint64_t OverflowCode(const DTypeInfo& info, OverflowMode overflow) {
  if (overflow == OverflowMode::kSaturate) return LargestFiniteCode(info);
  switch (info.special_values) {
    case SpecialValues::kIeee:
      return LargestFiniteCode(info) + 1;
    case SpecialValues::kNanAllOnes:
    case SpecialValues::kNanNegativeZero:
      return info.canonical_nan;
    case SpecialValues::kNone:
      break;
  }
  return LargestFiniteCode(info);
}

std::uint64_t EncodeFloat(const DTypeInfo& info, double value, RoundingMode rounding,
                          OverflowMode overflow, std::uint64_t random) {
  const std::uint64_t sign = std::signbit(value) ? SignBit(info) : 0;
  if (std::isnan(value)) return sign | info.canonical_nan;
  if (!info.is_signed && (value < 0 || (value == 0 && !info.has_zero))) return info.canonical_nan;
  if (std::isinf(value)) return sign | OverflowCode(info, overflow);

  const std::uint64_t magnitude = RoundMagnitude(info, value, rounding, random);
  if (magnitude > LargestFiniteCode(info)) {
    return sign | (rounding == RoundingMode::kTowardZero ? LargestFiniteCode(info)
                                                         : OverflowCode(info, overflow));
  }
  const bool no_negative_zero = info.special_values == SpecialValues::kNanNegativeZero;
  return magnitude == 0 && no_negative_zero ? 0 : sign | magnitude;
}

bool IsNan(const DTypeInfo& info, std::uint64_t code) {
  const std::uint64_t magnitude = code & MagnitudeMask(info);
  switch (info.special_values) {
    case SpecialValues::kIeee:
      return magnitude > LargestFiniteCode(info) + 1;
    case SpecialValues::kNanAllOnes:
      return magnitude > LargestFiniteCode(info);
    case SpecialValues::kNanNegativeZero:
      return code == info.canonical_nan;
    case SpecialValues::kNone:
      break;
  }
  return false;
}

double DecodeFloatMagnitude(const DTypeInfo& info, std::uint64_t code) {
  if (IsNan(info, code)) return std::numeric_limits<double>::quiet_NaN();
  const std::uint64_t magnitude = code & MagnitudeMask(info);
  if (magnitude > LargestFiniteCode(info)) return std::numeric_limits<double>::infinity();
  const int field = static_cast<int>(magnitude >> info.mantissa_bits);
  const std::uint64_t mantissa = magnitude & LowBits(info.mantissa_bits);
  const bool has_hidden_bit = field > 0 || !info.has_zero;
  const std::uint64_t hidden = has_hidden_bit ? std::uint64_t{1} << info.mantissa_bits : 0;
  const int exponent = has_hidden_bit ? field - info.exponent_bias : SmallestExponent(info);
  return std::ldexp(static_cast<double>(hidden | mantissa), exponent - info.mantissa_bits);
}

}  // namespace

std::uint64_t LargestFiniteCode(const DTypeInfo& info) {
  const std::uint64_t all_ones = MagnitudeMask(info);
  switch (info.special_values) {
    case SpecialValues::kIeee:
      return all_ones - (std::uint64_t{1} << info.mantissa_bits);
    case SpecialValues::kNanAllOnes:
      return all_ones - 1;
    case SpecialValues::kNanNegativeZero:
    case SpecialValues::kNone:
      break;
  }
  return all_ones;
}

double Decode(const DTypeInfo& info, std::uint64_t code) {
  const std::uint64_t used = code & LowBits(info.total_bits);
  if (info.kind == DTypeKind::kInteger) return DecodeInteger(info, used);
  const double magnitude = DecodeFloatMagnitude(info, used);
  return (used & SignBit(info)) != 0 ? -magnitude : magnitude;
}

bool Overflows(const DTypeInfo& info, double value, RoundingMode rounding, std::uint64_t random) {
  if (info.kind == DTypeKind::kInteger) {
    // As if there were one more bit.
    DTypeInfo wider = info;
    wider.total_bits += 2;
    wider.is_signed = true;
    const double rounded = Decode(wider, EncodeInteger(wider, value, rounding, random));
    return rounded != Decode(info, EncodeInteger(info, value, rounding, random));
  }
  if (std::isinf(value)) return true;
  return RoundMagnitude(info, value, rounding, random) > LargestFiniteCode(info);
}

std::uint64_t Encode(const DTypeInfo& info, double value, RoundingMode rounding,
                     OverflowMode overflow, std::uint64_t random) {
  return info.kind == DTypeKind::kInteger ? EncodeInteger(info, value, rounding, random)
                                          : EncodeFloat(info, value, rounding, overflow, random);
}

}  // namespace narrowgauge::internal

namespace narrowgauge {

std::uint64_t EncodeValue(DType dtype, double value, RoundingMode rounding, OverflowMode overflow,
                          std::uint64_t random) {
  return internal::Encode(GetDTypeInfo(dtype), value, rounding, overflow, random);
}

double DecodeValue(DType dtype, std::uint64_t code) {
  return internal::Decode(GetDTypeInfo(dtype), code);
}

}  // namespace narrowgauge
