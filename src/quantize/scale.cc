#include "src/quantize/scale.h"

#include <algorithm>
#include <cmath>

#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

constexpr double kNvFp4TensorDivisor = 448 * 6;
constexpr int kSmallestE8M0 = -127;
constexpr int kLargestE8M0 = 127;

// Rounds a positive quotient to the scale's dtype.
GroupScale Store(double quotient, DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  GroupScale stored;
  if (dtype == DType::kFloat8E8M0Fnu) {
    // Up to the next power of two, so that nothing saturates.
    int exponent = 0;
    const double fraction = std::frexp(quotient, &exponent);  // In [0.5, 1).
    if (fraction == 0.5) --exponent;
    const int clamped = std::clamp(exponent, kSmallestE8M0, kLargestE8M0);
    stored.scale = std::ldexp(1.0, clamped);
    stored.underflowed = clamped > exponent;
    stored.overflowed = clamped < exponent;
    return stored;
  }
  const bool has_infinity = info.special_values == SpecialValues::kIeee;
  const auto overflow = has_infinity ? OverflowMode::kNative : OverflowMode::kSaturate;
  stored.scale = Decode(info, Encode(info, quotient, RoundingMode::kNearestEven, overflow));
  stored.overflowed = Overflows(info, quotient);
  stored.underflowed = stored.scale == 0;
  const double smallest_normal = std::ldexp(1.0, 1 - info.exponent_bias);
  stored.is_subnormal = stored.scale != 0 && stored.scale < smallest_normal;
  return stored;
}

int FloorLog2(double value) { return std::ilogb(value); }

int CeilLog2(double value) {
  const int floor = FloorLog2(value);
  return std::ldexp(1.0, floor) == value ? floor : floor + 1;
}

// log2 rounded to the nearest integer: no float is the square root of 2, so there are no ties.
int RoundLog2(double numerator, double denominator) {
  // numerator / denominator >= 2^(e + 1/2), squared so that it can be decided exactly.
  const int guess = FloorLog2(numerator) - FloorLog2(denominator) - 1;
  int exponent = guess;
  const double n = std::ldexp(numerator, -FloorLog2(numerator));
  const double d = std::ldexp(denominator, -FloorLog2(denominator));
  const int offset = FloorLog2(numerator) - FloorLog2(denominator);
  while (n * n >= std::ldexp(d * d, 2 * (exponent - offset) + 1)) ++exponent;
  return exponent;
}

// The smallest power of two that is at least numerator / denominator.
int CeilLog2OfQuotient(double numerator, double denominator) {
  int exponent = FloorLog2(numerator) - FloorLog2(denominator) - 1;
  while (std::ldexp(denominator, exponent) < numerator) ++exponent;
  return exponent;
}

GroupScale FindMxScale(MxScaleRule rule, double largest, double absmax) {
  GroupScale stored;
  const int element_exponent = FloorLog2(largest);
  int exponent = 0;
  switch (rule) {
    case MxScaleRule::kFloor:
      exponent = FloorLog2(absmax) - element_exponent;
      break;
    case MxScaleRule::kCeil:
      exponent = CeilLog2(absmax) - element_exponent;
      break;
    case MxScaleRule::kRceil:
      exponent = CeilLog2OfQuotient(absmax, largest);
      break;
    case MxScaleRule::kNearest:
      exponent = RoundLog2(absmax, largest);
      break;
  }
  const int clamped = std::clamp(exponent, kSmallestE8M0, kLargestE8M0);
  stored.scale = std::ldexp(1.0, clamped);
  stored.underflowed = clamped > exponent;
  stored.overflowed = clamped < exponent;
  return stored;
}

GroupScale FindNvFp4Scale(double absmax, double tensor_scale) {
  const auto sixth = static_cast<float>(absmax) / 6.0F;
  const auto quotient = static_cast<double>(sixth / static_cast<float>(tensor_scale));
  GroupScale stored = Store(quotient, DType::kFloat8E4M3Fn);
  stored.scale =
      static_cast<double>(static_cast<float>(stored.scale) * static_cast<float>(tensor_scale));
  return stored;
}

GroupScale FindOffsetScale(const QuantizationSpec& spec, const ElementGrid& grid, Range range) {
  if (spec.zero_point == ZeroPoint::kInteger) range.Add(0);
  const double steps = grid.Largest() - grid.Lowest();
  GroupScale stored;
  if (range.high > range.low) {
    stored = Store((range.high - range.low) / steps, spec.scale_dtype);
  }
  stored.is_zero_group = range.Absmax() == 0;
  if (spec.zero_point == ZeroPoint::kFloat) {
    stored.zero_point = static_cast<double>(DecodeFloat32(
        GetDTypeInfo(spec.scale_dtype), Encode(GetDTypeInfo(spec.scale_dtype), range.low)));
    return stored;
  }
  const double offset = stored.scale > 0 ? std::nearbyint(range.low / stored.scale) : 0;
  stored.zero_point = std::clamp(grid.Lowest() - offset, grid.Lowest(), grid.Largest());
  return stored;
}

}  // namespace

void Range::Add(double element) {
  low = empty ? element : std::min(low, element);
  high = empty ? element : std::max(high, element);
  empty = false;
}

void Range::Merge(const Range& other) {
  if (other.empty) return;
  Add(other.low);
  Add(other.high);
}

double Range::Absmax() const { return std::max(std::abs(low), std::abs(high)); }

double FindTensorScale(double absmax) {
  const float scale = static_cast<float>(absmax) / static_cast<float>(kNvFp4TensorDivisor);
  return scale == 0.0F ? 1.0 : static_cast<double>(scale);
}

GroupScale FindScale(const QuantizationSpec& spec, const ElementGrid& grid, const Range& range,
                     double tensor_scale) {
  if (spec.zero_point != ZeroPoint::kNone) return FindOffsetScale(spec, grid, range);
  const double absmax = range.Absmax();
  if (absmax == 0) return {.is_zero_group = true};
  if (!spec.block_format) return Store(absmax / grid.Divisor(), spec.scale_dtype);
  switch (GetBlockFormatInfo(*spec.block_format).family) {
    case BlockFamily::kMx:
      return FindMxScale(spec.rule, grid.Divisor(), absmax);
    case BlockFamily::kNvFp4:
      return FindNvFp4Scale(absmax, tensor_scale);
    case BlockFamily::kGgml:
      break;
  }
  NG_CHECK(false);
}

void NoteScale(const GroupScale& scale, std::int64_t index, QuantizationCounts& counts) {
  counts.zero_scales.Note(index, scale.is_zero_group ? 1 : 0);
  counts.subnormal_scales.Note(index, scale.is_subnormal ? 1 : 0);
  counts.underflowed_scales.Note(index, scale.underflowed ? 1 : 0);
  counts.overflowed_scales.Note(index, scale.overflowed ? 1 : 0);
}

}  // namespace narrowgauge::internal
