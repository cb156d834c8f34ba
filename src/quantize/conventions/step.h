#ifndef NARROWGAUGE_QUANTIZE_CONVENTIONS_STEP_H_
#define NARROWGAUGE_QUANTIZE_CONVENTIONS_STEP_H_

#include <cmath>
#include <limits>

#include "narrowgauge/dtype.h"
#include "narrowgauge/numerics_profile.h"
#include "src/numerics/bfloat16.h"
#include "src/numerics/codec.h"
#include "src/quantize/recipe.h"

namespace narrowgauge::internal {

// The type of a step over weights that are stored as `weights`.
[[nodiscard]] inline DType TypeOfStep(StepType step, DType weights) {
  const bool is_narrow = weights == DType::kBFloat16 || weights == DType::kFloat16;
  return step == StepType::kWeights && is_narrow ? weights : DType::kFloat32;
}

// Returns the float32 nearest to `value` among those of a float type of 32 bits or fewer.
[[nodiscard]] inline float RoundTo(DType type, float value) {
  if (type == DType::kFloat32) return value;
  if (type == DType::kBFloat16) return FloatFromBFloat16(BFloat16FromFloat(value));
  const DTypeInfo& info = GetDTypeInfo(type);
  return DecodeFloat32(info, EncodeFloat32(info, value));
}

// One arithmetic operation in a type: the float32 result of +, -, * or / of two of its values,
// rounded to it. For bfloat16 and float16 that is the exact result rounded once, since float32 has
// more than twice their precision.
class Step {
 public:
  Step(DType type, Subnormals subnormals) : type_(type), subnormals_(subnormals) {}
  Step(StepType step, DType weights, Subnormals subnormals)
      : Step(TypeOfStep(step, weights), subnormals) {}

  [[nodiscard]] DType Type() const { return type_; }
  [[nodiscard]] float operator()(float result) const {
    const float rounded = RoundTo(type_, result);
    if (subnormals_ == Subnormals::kKept) return rounded;
    const bool is_subnormal = std::fabs(rounded) < std::numeric_limits<float>::min();
    return is_subnormal ? std::copysign(0.0F, rounded) : rounded;
  }

 private:
  DType type_;
  Subnormals subnormals_;
};

// Returns an integer beside `value`. Ties::kUp needs a value that is not negative.
[[nodiscard]] inline float RoundToInteger(float value, Ties ties) {
  switch (ties) {
    case Ties::kEven:
      return std::nearbyint(value);
    case Ties::kAway:
      return std::round(value);
    case Ties::kUp:
      break;
  }
  return std::trunc(value + 0.5F);
}

// Returns `scale` or what stands for it in a type. NaN stays NaN.
[[nodiscard]] float ReplaceSmallScale(SmallScale rule, float scale, DType type);

// Returns measure / divisor; `is_only` if the array has no other scale.
[[nodiscard]] float DivideMeasure(float measure, float divisor, ScaleQuotient quotient,
                                  bool is_only, const Step& step);

// Whether x / s is x * (1 / s); `is_shared` if s is that of several elements.
[[nodiscard]] bool UsesReciprocal(CodeQuotient quotient, bool is_shared, const Step& step);

// Returns 1 / scale, rounded once.
[[nodiscard]] float ReciprocalOf(float scale, InfiniteReciprocal rule, const Step& step);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTIONS_STEP_H_
