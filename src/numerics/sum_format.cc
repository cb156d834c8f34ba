#include "src/numerics/sum_format.h"

#include <limits>

#include "src/base/check.h"
#include "src/numerics/codec.h"
#include "src/numerics/limits.h"

namespace narrowgauge::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double OverflowOf(const DTypeInfo& info, double largest) {
  switch (info.special_values) {
    case SpecialValues::kIeee:
      return kInfinity;
    case SpecialValues::kNone:
      return largest;
    case SpecialValues::kNanAllOnes:
    case SpecialValues::kNanNegativeZero:
      return std::numeric_limits<double>::quiet_NaN();
  }
  NG_CHECK(false);
}

}  // namespace

SumFormat SumFormatOf(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  NG_CHECK(info.kind == DTypeKind::kFloat && info.has_zero);
  const double largest = Decode(info, LargestFiniteCode(info));
  return {.mantissa_bits = info.mantissa_bits,
          .min_exponent = 1 - info.exponent_bias,
          .largest = largest,
          .overflow = OverflowOf(info, largest),
          .has_negative_zero = info.special_values != SpecialValues::kNanNegativeZero};
}

SumFormat SumFormatOf(const SumType& type) {
  NG_CHECK(type.kind != SumKind::kInt32);
  if (type.kind == SumKind::kFloat) return SumFormatOf(type.dtype);
  return {.mantissa_bits = 13, .largest = 0x1.FFF8p127, .rounding = SumRounding::kTowardZero};
}

}  // namespace narrowgauge::internal
