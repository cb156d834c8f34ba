#include "src/quantize/conventions/element.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

constexpr float kLargestInteger = 127;
constexpr float kIntegersPerUnit = 64;  // MXINT8 has six bits after the point.

// Codes in a format of e2m1's kind, to its nearest value or, of two as near, the smaller magnitude.
std::uint64_t EncodeTiesTowardZero(const DTypeInfo& info, std::span<const float> values,
                                   float magnitude) {
  const std::uint64_t below =
      EncodeFloat32(info, magnitude, RoundingMode::kTowardZero, OverflowMode::kSaturate);
  if (below >= LargestFiniteCode(info)) return LargestFiniteCode(info);
  // Neither difference is rounded: an element has few bits, and both are near it.
  return magnitude - values[below] > values[below + 1] - magnitude ? below + 1 : below;
}

bool IsNegative(float q, ElementSign sign) {
  switch (sign) {
    case ElementSign::kOfElement:
      return std::signbit(q);
    case ElementSign::kOfElementPlusZero:
      return std::signbit(q + 0.0F);
    case ElementSign::kNegativeUnlessPositive:
      return !(q > 0.0F);
    case ElementSign::kNegativeIfLess:
      return q < 0.0F;
  }
  return std::signbit(q);
}

}  // namespace

ElementFormat::ElementFormat(DType dtype)
    : info_(GetDTypeInfo(dtype)), is_integer_(info_.kind == DTypeKind::kInteger) {
  largest_ = is_integer_ ? kLargestInteger / kIntegersPerUnit
                         : DecodeFloat32(info_, LargestFiniteCode(info_));
  largest_exponent_ = std::ilogb(largest_);
  first_above_ = largest_ + std::ldexp(0.5F, largest_exponent_ - info_.mantissa_bits);
  for (std::uint64_t code = 0; code < std::uint64_t{1} << info_.total_bits; ++code) {
    values_.push_back(DecodeFloat32(info_, code));
  }
}

const ElementFormat& GetElementFormat(DType dtype) {
  switch (dtype) {
    case DType::kFloat4E2M1Fn: {
      static const ElementFormat format(DType::kFloat4E2M1Fn);
      return format;
    }
    case DType::kFloat8E4M3Fn: {
      static const ElementFormat format(DType::kFloat8E4M3Fn);
      return format;
    }
    case DType::kFloat8E5M2: {
      static const ElementFormat format(DType::kFloat8E5M2);
      return format;
    }
    default:
      break;
  }
  NG_CHECK(dtype == DType::kInt8);
  static const ElementFormat format(DType::kInt8);
  return format;
}

ElementFormat::Coded ElementFormat::RoundInteger(float q, ElementTies ties) const {
  if (std::isnan(q)) return {std::numeric_limits<double>::quiet_NaN(), q, false};
  const float scaled = std::fabs(q) * kIntegersPerUnit;
  const float rounded = ties == ElementTies::kAway ? std::round(scaled) : std::nearbyint(scaled);
  const float magnitude = std::min(rounded, kLargestInteger);
  // A negative element that rounds to 0 becomes -0; an exact -0 becomes +0.
  const float signed_code = q < 0.0F ? -magnitude : magnitude;
  return {static_cast<double>(signed_code), signed_code / kIntegersPerUnit,
          rounded > kLargestInteger};
}

ElementFormat::Coded ElementFormat::Round(float q, ElementTies ties, ElementSign sign,
                                          int nan_code) const {
  if (is_integer_) return RoundInteger(q, ties);
  if (std::isnan(q)) {
    const bool has_nan = info_.special_values != SpecialValues::kNone;
    const std::uint64_t code = has_nan ? info_.canonical_nan : static_cast<std::uint64_t>(nan_code);
    return {static_cast<double>(code), values_[code], false};
  }
  const float magnitude = std::fabs(q);
  const std::uint64_t largest = LargestFiniteCode(info_);
  const std::uint64_t magnitude_code =
      ties == ElementTies::kTowardZero
          ? EncodeTiesTowardZero(info_, values_, magnitude)
          : EncodeFloat32(info_, magnitude,
                          ties == ElementTies::kAway ? RoundingMode::kNearestAway
                                                     : RoundingMode::kNearestEven,
                          OverflowMode::kSaturate);
  const std::uint64_t sign_bit = std::uint64_t{1} << (info_.total_bits - 1);
  const std::uint64_t code = magnitude_code | (IsNegative(q, sign) ? sign_bit : 0);
  const bool tie_rises =
      ties == ElementTies::kAway || (ties == ElementTies::kEven && largest % 2 == 1);
  const bool saturated = magnitude > first_above_ || (tie_rises && magnitude == first_above_);
  return {static_cast<double>(code), values_[code], saturated};
}

ElementFormat::Coded ElementFormat::Nearest(float target, float factor, float scale) const {
  std::size_t best = 0;
  float least = std::fabs((values_[0] * factor) * scale - target);
  for (std::size_t code = 1; code < values_.size(); ++code) {
    const float distance = std::fabs((values_[code] * factor) * scale - target);
    if (distance < least) {
      least = distance;
      best = code;
    }
  }
  const bool saturated = std::fabs(target) > (first_above_ * factor) * scale;
  return {static_cast<double>(best), values_[best], saturated};
}

}  // namespace narrowgauge::internal
