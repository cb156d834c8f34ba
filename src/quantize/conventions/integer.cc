#include <algorithm>
#include <cmath>
#include <limits>

#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

struct IntegerScale {
  float raw = 0;     // Before small scales are replaced.
  float found = 0;   // After that, in the scale's step.
  float stored = 0;  // As it is stored.
  double exact = 0;  // In float64, of recipes that find it so.
};

float MeasureOf(const IntegerRecipe& recipe, const ElementRange& range, const Step& step) {
  const float lowest_with_zero = range.lowest > 0.0F ? 0.0F : range.lowest;
  const float largest_with_zero = range.largest < 0.0F ? 0.0F : range.largest;
  switch (recipe.measure) {
    case Measure::kAbsmax:
      return range.Absmax();
    case Measure::kWidthWithZero:
      return step(largest_with_zero - lowest_with_zero);
    case Measure::kSignedExtremeFirst:
      return range.first_extreme;
    case Measure::kSignedExtremeMinimum:
      return std::fabs(range.largest) > std::fabs(range.lowest) ? range.largest : range.lowest;
    case Measure::kSides: {
      const float below = step(lowest_with_zero / static_cast<float>(recipe.lowest));
      const float above = step(largest_with_zero / static_cast<float>(recipe.largest));
      return below > above ? below : above;
    }
    case Measure::kDeviation:
      return range.deviation;
  }
  return range.Absmax();
}

// The width in float64, of a range that is symmetric or has 0 counted among its elements.
double ExactMeasureOf(const IntegerRecipe& recipe, const ElementRange& range) {
  if (recipe.measure == Measure::kAbsmax) return static_cast<double>(range.Absmax());
  return static_cast<double>(std::max(range.largest, 0.0F)) -
         static_cast<double>(std::min(range.lowest, 0.0F));
}

IntegerScale ScaleOf(const IntegerRecipe& recipe, const ElementRange& range, bool is_only,
                     DType weights, const Step& step) {
  IntegerScale scale;
  if (recipe.scale_in_float64) {
    scale.exact = ExactMeasureOf(recipe, range) / recipe.divisor;
    scale.raw = step(static_cast<float>(scale.exact));
    // Against the exact one, but for float16.
    const bool is_small = step.Type() != DType::kFloat16 && scale.exact < 0x1p-126;
    scale.found = is_small ? 1.0F : ReplaceSmallScale(recipe.small_scale, scale.raw, step.Type());
    scale.stored = scale.found;
    return scale;
  }
  float measure = MeasureOf(recipe, range, step);
  if (measure == 0.0F && recipe.measure_if_zero != 0) {
    measure = static_cast<float>(recipe.measure_if_zero);
  }
  const auto divisor = static_cast<float>(recipe.divisor);
  if (recipe.measure == Measure::kSides) {
    scale.raw = measure;
  } else if (recipe.stored_scale == StoredScale::kReciprocal) {
    scale.raw = step(step(1.0F / measure) * divisor);
  } else {
    scale.raw = DivideMeasure(measure, divisor, recipe.scale_quotient, is_only, step);
  }
  scale.found = ReplaceSmallScale(recipe.small_scale, scale.raw, step.Type());
  scale.stored = RoundTo(recipe.scale_dtype.value_or(weights), scale.found);
  return scale;
}

float ZeroPointOf(const IntegerRecipe& recipe, const ElementRange& range, const IntegerScale& scale,
                  const Step& step) {
  const auto lowest = static_cast<float>(recipe.lowest);
  const float smallest_element = range.lowest > 0.0F ? 0.0F : range.lowest;
  float zero_point = 0;
  switch (recipe.zero_point_rule) {
    case ZeroPointRule::kNone:
      return 0;
    case ZeroPointRule::kConstant:
      return static_cast<float>(recipe.zero_point);
    case ZeroPointRule::kRoundedDifference:
      if (recipe.scale_in_float64) {
        if (scale.found != scale.raw) return 0;  // The scale was too small.
        zero_point = static_cast<float>(std::nearbyint(
            static_cast<double>(lowest) - static_cast<double>(smallest_element) / scale.exact));
      } else {
        const float divisor =
            recipe.zero_point_scale == ZeroPointScale::kRaw ? scale.raw : scale.found;
        zero_point =
            RoundToInteger(step(lowest - step(smallest_element / divisor)), recipe.zero_point_ties);
      }
      break;
    case ZeroPointRule::kDifferenceOfRounded:
      zero_point = step(
          lowest - RoundToInteger(step(smallest_element / scale.found), recipe.zero_point_ties));
      break;
  }
  if (std::isnan(zero_point)) return 0;
  return std::clamp(zero_point, lowest, static_cast<float>(recipe.largest)) + 0.0F;  // No -0.
}

// Finds the codes of elements under one scale.
class IntegerCoder {
 public:
  IntegerCoder(const IntegerRecipe& recipe, float scale, float zero_point, bool is_shared,
               const Step& step)
      : recipe_(recipe),
        scale_(scale),
        factor_(recipe.stored_scale == StoredScale::kReciprocal
                    ? scale
                    : ReciprocalOf(scale, recipe.infinite_reciprocal, step)),
        divides_(recipe.stored_scale == StoredScale::kMultiplier &&
                 !UsesReciprocal(recipe.quotient, is_shared, step)),
        zero_point_(zero_point),
        step_(step) {}

  // Returns the code, or NaN if there is none.
  [[nodiscard]] float Code(float element, bool& saturated) const {
    const float x = step_(element);
    float q = step_(divides_ ? x / scale_ : x * factor_);
    const auto lowest = static_cast<float>(recipe_.lowest);
    const auto largest = static_cast<float>(recipe_.largest);
    if (recipe_.zero_point_added == ZeroPointAdded::kBeforeRounding) q = Offset(q);
    if (std::isnan(q)) {
      saturated = false;
      if (recipe_.nan_code == NanCode::kNone) return std::numeric_limits<float>::quiet_NaN();
      return recipe_.nan_code == NanCode::kLowest ? lowest : 0.0F;
    }
    float rounded = Rounded(q);
    if (recipe_.zero_point_added == ZeroPointAdded::kAfterRounding && zero_point_ != 0.0F) {
      rounded += zero_point_;
    }
    saturated = rounded < lowest || rounded > largest;
    float code = recipe_.clip == Clip::kBeforeRounding ? Rounded(std::clamp(q, lowest, largest))
                                                       : std::clamp(rounded, lowest, largest);
    if (recipe_.code_type == CodeType::kInteger) code += 0.0F;  // No -0.
    return code;
  }

 private:
  // Ties::kUp adds its half together with the zero point, in one rounding.
  [[nodiscard]] float Offset(float q) const {
    return step_(q + (recipe_.ties == Ties::kUp ? zero_point_ + 0.5F : zero_point_));
  }
  [[nodiscard]] float Rounded(float q) const {
    return recipe_.ties == Ties::kUp ? std::trunc(q) : RoundToInteger(q, recipe_.ties);
  }

  const IntegerRecipe& recipe_;
  float scale_;
  float factor_;
  bool divides_;
  float zero_point_;
  Step step_;
};

}  // namespace

Result<void> QuantizeGroup(const IntegerRecipe& recipe, const GroupInput& input,
                           QuantizedGroup& group) {
  const Step scale_step(recipe.scale_step, input.weights, recipe.subnormals);
  const Step code_step(recipe.code_step, input.weights, recipe.subnormals);
  const Step value_step(StepType::kWeights, input.weights, recipe.subnormals);
  const ElementRange range = ScaleRangeOf(input, recipe.subnormals);
  const IntegerScale scale =
      ScaleOf(recipe, range, input.has_only_scale, value_step.Type(), scale_step);
  if (recipe.refusal == Refusal::kNanScale && std::isnan(scale.stored)) {
    return MakeError(StatusCode::kFailedPrecondition, "refuses a scale of NaN");
  }
  const float zero_point = ZeroPointOf(recipe, range, scale, scale_step);
  const bool codes_by_stored = recipe.scale_rounding != ScaleRounding::kAfterCodes;
  const IntegerCoder coder(recipe, codes_by_stored ? scale.stored : scale.found, zero_point,
                           IsShared(input), code_step);
  Prepare(group, input.elements.size());
  group.scale = static_cast<double>(scale.stored);
  group.zero_point = static_cast<double>(zero_point);
  for (std::size_t i = 0; i < input.elements.size(); ++i) {
    bool saturated = false;
    const float code = coder.Code(input.elements[i], saturated);
    if (saturated) group.saturated.Note(static_cast<std::int64_t>(i));
    group.codes[i] = static_cast<double>(code);
    const float difference = code - zero_point;
    group.values[i] =
        value_step(recipe.stored_scale == StoredScale::kReciprocal ? difference / scale.stored
                                                                   : difference * scale.stored);
  }
  return {};
}

}  // namespace narrowgauge::internal
