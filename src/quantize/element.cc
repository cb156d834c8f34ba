#include "src/quantize/element.h"

#include <algorithm>
#include <cmath>

#include "src/base/check.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

constexpr double kMxInt8Unit = 0x1p-6;  // OCP MX 1.0, section 5.3.4.

double RoundToInteger(double value, RoundingMode rounding, std::uint64_t random) {
  switch (rounding) {
    case RoundingMode::kNearestEven:
      return std::nearbyint(value);  // Nobody here changes the rounding mode of the machine.
    case RoundingMode::kNearestAway:
      return std::round(value);
    case RoundingMode::kTowardZero:
      return std::trunc(value);
    case RoundingMode::kStochastic: {
      const double below = std::trunc(value);
      const double cut_off = std::abs(value - below);
      const bool up = std::ldexp(static_cast<double>(random), -64) < cut_off;
      return up ? below + std::copysign(1.0, value) : below;
    }
  }
  NG_CHECK(false);
}

DType ElementOf(const QuantizationSpec& spec) {
  if (!spec.block_format) return spec.dtype;
  const auto element = GetBlockFormatInfo(*spec.block_format).element;
  NG_CHECK(element.has_value());
  return *element;
}

double DivisorOf(ScaleRange range, double largest) {
  switch (range) {
    case ScaleRange::kNarrow:
      return largest;
    case ScaleRange::kMiddle:
      return largest + 0.5;
    case ScaleRange::kFull:
      return largest + 1;
  }
  NG_CHECK(false);
}

}  // namespace

ElementGrid::ElementGrid(const QuantizationSpec& spec)
    : info_(&GetDTypeInfo(ElementOf(spec))),
      rounding_(spec.rounding),
      overflow_(spec.overflow),
      largest_(Decode(*info_, LargestFiniteCode(*info_))) {
  if (info_->kind == DTypeKind::kFloat) {
    lowest_ = -largest_;
    divisor_ = largest_;
    return;
  }
  const bool narrow = spec.range == ScaleRange::kNarrow && spec.zero_point == ZeroPoint::kNone;
  lowest_ = !info_->is_signed ? 0 : narrow ? -largest_ : -largest_ - 1;
  divisor_ = DivisorOf(spec.range, largest_);
  if (spec.block_format) {
    unit_ = kMxInt8Unit;
    divisor_ *= unit_;
  }
}

ElementGrid::Rounded ElementGrid::Round(double quotient, double zero_point,
                                        std::uint64_t random) const {
  if (std::isnan(quotient)) quotient = 0;
  if (info_->kind == DTypeKind::kFloat) {
    const std::uint64_t code = Encode(*info_, quotient, rounding_, overflow_, random);
    return {Decode(*info_, code), Overflows(*info_, quotient, rounding_, random)};
  }
  const double rounded = RoundToInteger(quotient / unit_, rounding_, random);
  const double code = std::clamp(rounded + zero_point, lowest_, largest_);
  return {code * unit_, code != rounded + zero_point};
}

std::optional<CodecConstants> ElementGrid::Codec() const {
  auto codec = MakeCodecConstants(*info_, overflow_);
  if (codec && codec->kind == CodecKind::kInteger) {
    codec->lowest = static_cast<float>(lowest_);
    codec->largest = static_cast<float>(largest_);
  }
  return codec;
}

}  // namespace narrowgauge::internal
