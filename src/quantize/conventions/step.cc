#include "src/quantize/conventions/step.h"

#include <algorithm>
#include <cmath>

namespace narrowgauge::internal {
namespace {

// Of the types that steps and scales have: IEEE floats, and float8_e4m3fn.
float SmallestNormal(DType type) { return std::ldexp(1.0F, 1 - GetDTypeInfo(type).exponent_bias); }

float Epsilon(DType type) { return std::ldexp(1.0F, -GetDTypeInfo(type).mantissa_bits); }

}  // namespace

float ReplaceSmallScale(SmallScale rule, float scale, DType type) {
  switch (rule) {
    case SmallScale::kKept:
      return scale;
    case SmallScale::kOneIfZero:
      return scale == 0.0F ? 1.0F : scale;
    case SmallScale::kOneBelowSmallestNormal: {
      const float limit = type == DType::kFloat16 ? 0x1p-24F : SmallestNormal(type);
      return scale < limit ? 1.0F : scale;
    }
    case SmallScale::kOneBelowRootOfSmallestNormal:
      return scale < std::sqrt(SmallestNormal(type)) ? 1.0F : scale;
    case SmallScale::kFloat32EpsilonAtLeast:
      return scale < Epsilon(DType::kFloat32) ? Epsilon(DType::kFloat32) : scale;
    case SmallScale::kSmallestNormalAtLeast:
      return scale < SmallestNormal(type) ? SmallestNormal(type) : scale;
    case SmallScale::kEpsilonIfZero:
      return scale == 0.0F ? Epsilon(type) : scale;
  }
  return scale;
}

float DivideMeasure(float measure, float divisor, ScaleQuotient quotient, bool is_only,
                    const Step& step) {
  if (quotient == ScaleQuotient::kDivide || is_only) return step(measure / divisor);
  // bfloat16 arithmetic becomes float32 arithmetic before the compiler looks at constants.
  const bool is_float16 = step.Type() == DType::kFloat16 && quotient == ScaleQuotient::kXla;
  return step(measure * RoundTo(is_float16 ? DType::kFloat16 : DType::kFloat32, 1.0F / divisor));
}

bool UsesReciprocal(CodeQuotient quotient, bool is_shared, const Step& step) {
  switch (quotient) {
    case CodeQuotient::kDivide:
      return false;
    case CodeQuotient::kReciprocal:
      return true;
    case CodeQuotient::kXla:
      break;
  }
  return is_shared && step.Type() != DType::kBFloat16;
}

float ReciprocalOf(float scale, InfiniteReciprocal rule, const Step& step) {
  const float reciprocal = step(1.0F / scale);
  if (rule == InfiniteReciprocal::kZeroOfZero && scale == 0.0F) return 0.0F;
  if (rule == InfiniteReciprocal::kOne && std::isinf(reciprocal)) return 1.0F;
  return reciprocal;
}

}  // namespace narrowgauge::internal
