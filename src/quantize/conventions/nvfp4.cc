#include <algorithm>
#include <cmath>

#include "src/quantize/conventions/element.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

constexpr float kLargestElement = 6;
constexpr float kLargestBlockScale = 448;

float TensorScaleOf(const NvFp4Recipe& recipe, float absmax, const Step& step) {
  constexpr float kLargestProduct = kLargestElement * kLargestBlockScale;
  switch (recipe.tensor_scale) {
    case TensorScale::kNone:
      return 1;
    case TensorScale::kMultiplier:
      return step(absmax / kLargestProduct);
    case TensorScale::kDivisor: {
      // No divisor below the smallest normal; NaN passes.
      const float divisor =
          ReplaceSmallScale(SmallScale::kSmallestNormalAtLeast, absmax, step.Type());
      const float scale = step(step(1.0F / divisor) * kLargestProduct);
      return std::isfinite(scale) ? scale : 1.0F;
    }
  }
  return 1;
}

// The block's scale before the cast. Everything but its division by 6 is float32.
float UncastBlockScale(const NvFp4Recipe& recipe, float absmax, float tensor_scale, bool is_only,
                       const Step& step) {
  const float sixth = DivideMeasure(absmax, kLargestElement, recipe.scale_quotient, is_only, step);
  switch (recipe.block_scale) {
    case BlockScale::kSixth:
      return ReplaceSmallScale(recipe.small_scale, sixth, step.Type());
    case BlockScale::kSixthTimesTensor:
      return tensor_scale * sixth;
    case BlockScale::kSixthOverTensor:
      return sixth / tensor_scale;
    case BlockScale::kOverSixTimesTensor:
      return absmax / (kLargestElement * tensor_scale);
  }
  return absmax;
}

}  // namespace

Result<void> QuantizeGroup(const NvFp4Recipe& recipe, const GroupInput& input,
                           QuantizedGroup& group) {
  const ElementFormat& format = GetElementFormat(DType::kFloat4E2M1Fn);
  const DTypeInfo& scale_info = GetDTypeInfo(DType::kFloat8E4M3Fn);
  const Step scale_step(recipe.scale_step, input.weights, recipe.subnormals);
  const Step code_step(recipe.code_step, input.weights, recipe.subnormals);
  const Step value_step(recipe.value_step, input.weights, recipe.subnormals);

  const float tensor_scale = TensorScaleOf(recipe, input.tensor_absmax, scale_step);
  const float absmax = ScaleRangeOf(input, recipe.subnormals).Absmax();
  float uncast = UncastBlockScale(recipe, absmax, tensor_scale, input.has_only_scale, scale_step);
  if (uncast == 0.0F) uncast = static_cast<float>(recipe.zero_before_cast);
  if (uncast < static_cast<float>(recipe.lowest_block_scale)) {
    uncast = static_cast<float>(recipe.lowest_block_scale);
  }
  if (std::isnan(uncast) && recipe.nan_block_scale == NanBlockScale::kLargest) {
    uncast = kLargestBlockScale;
  }
  std::uint64_t scale_code =
      EncodeFloat32(scale_info, uncast, RoundingMode::kNearestEven, OverflowMode::kSaturate);
  if (scale_code == 0) {
    scale_code = EncodeFloat32(scale_info, static_cast<float>(recipe.zero_after_cast));
  }
  const float block_scale = DecodeFloat32(scale_info, scale_code);

  float divisor = block_scale;  // Of x, or
  float factor = 1;             // what x is multiplied with.
  float reading = block_scale;
  bool multiplies = false;
  switch (recipe.quotient) {
    case NvFp4Quotient::kXla:
      multiplies = UsesReciprocal(CodeQuotient::kXla, IsShared(input), code_step);
      factor = code_step(1.0F / block_scale);
      break;
    case NvFp4Quotient::kNearest:
      break;
    case NvFp4Quotient::kTimesReciprocal:
      factor = 1.0F / block_scale;
      multiplies = true;
      break;
    case NvFp4Quotient::kDivideByProduct:
      divisor = reading = block_scale * tensor_scale;
      break;
    case NvFp4Quotient::kDivideByRatio:
      divisor = reading = block_scale / tensor_scale;
      break;
    case NvFp4Quotient::kTimesReciprocalOverBlock:
      factor = (1.0F / tensor_scale) / block_scale;
      reading = block_scale * tensor_scale;
      multiplies = true;
      break;
  }

  Prepare(group, input.elements.size());
  group.scale = static_cast<double>(block_scale);
  group.scale_code = static_cast<int>(scale_code);
  group.scale_clamped =
      std::isfinite(block_scale) &&
      !std::isfinite(DecodeFloat32(scale_info, EncodeFloat32(scale_info, uncast)));
  group.tensor_scale = recipe.tensor_scale == TensorScale::kNone ? 0.0F : tensor_scale;
  for (std::size_t i = 0; i < input.elements.size(); ++i) {
    const float x = code_step(input.elements[i]);
    const float q = code_step(multiplies ? x * factor : x / divisor);
    const ElementFormat::Coded coded =
        recipe.quotient == NvFp4Quotient::kNearest
            ? format.Nearest(q, 1.0F, 1.0F)
            : format.Round(q, ElementTies::kEven, recipe.sign, recipe.nan_code);
    if (coded.saturated) group.saturated.Note(static_cast<std::int64_t>(i));
    group.codes[i] = coded.code;
    const bool reads_zero = coded.value == 0.0F && recipe.minus_zero == MinusZero::kReadAsZero;
    group.values[i] = value_step((reads_zero ? 0.0F : coded.value) * reading);
  }
  return {};
}

}  // namespace narrowgauge::internal
