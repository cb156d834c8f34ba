#include <algorithm>
#include <cmath>

#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

// The smallest |scale| of AffineFit::kEdge, before it is fitted to the edge.
constexpr float kSmallestEdgeScale = 1e-7F;

struct Fit {
  float scale = 0;
  float origin = 0;  // The float that is code 0.
  float stored = 0;  // What is stored of the origin: itself, or the float of the middle code.
};

float MiddleCode(const AffineRecipe& recipe) {
  const int middle = (recipe.largest + 1) / 2;
  return static_cast<float>(middle);
}

Fit FitToEdge(const AffineRecipe& recipe, const ElementRange& range, const Step& step) {
  const bool from_below = std::fabs(range.lowest) > std::fabs(range.largest);
  const float width = step(range.largest - range.lowest);
  const float ratio = step(width / static_cast<float>(recipe.divisor));
  const float magnitude = ratio < kSmallestEdgeScale ? kSmallestEdgeScale : ratio;
  const float edge = from_below ? range.lowest : range.largest;
  Fit fit;
  fit.scale = from_below ? magnitude : -magnitude;
  const float code_of_zero = std::nearbyint(step(edge / fit.scale));
  if (code_of_zero != 0.0F) {
    fit.scale = step(edge / code_of_zero);
    fit.origin = fit.stored = edge;
  }
  return fit;
}

Fit FitTo(const AffineRecipe& recipe, const ElementRange& range, const Step& step) {
  if (recipe.fit == AffineFit::kEdge) return FitToEdge(recipe, range, step);
  Fit fit;
  const float width = step(range.largest - range.lowest);
  fit.scale = ReplaceSmallScale(recipe.small_scale,
                                step(width / static_cast<float>(recipe.divisor)), step.Type());
  if (recipe.fit == AffineFit::kMinimum) {
    fit.origin = fit.stored = range.lowest;
    return fit;
  }
  const float half = step(fit.scale * MiddleCode(recipe));
  fit.stored = step(range.lowest + half);
  fit.origin = step(fit.stored - half);
  return fit;
}

}  // namespace

Result<void> QuantizeGroup(const AffineRecipe& recipe, const GroupInput& input,
                           QuantizedGroup& group) {
  const Step step(recipe.step, input.weights, Subnormals::kKept);
  const Step value_step(StepType::kWeights, input.weights, Subnormals::kKept);
  const DType stored_type =
      recipe.scale_dtype.value_or(TypeOfStep(StepType::kWeights, input.weights));
  Fit fit = FitTo(recipe, ScaleRangeOf(input, Subnormals::kKept), step);
  const float scale = RoundTo(stored_type, fit.scale);
  const float stored = RoundTo(stored_type, fit.stored);
  if (recipe.scale_rounding == ScaleRounding::kBeforeCodes) fit.scale = scale;
  const float factor = ReciprocalOf(fit.scale, recipe.infinite_reciprocal, step);
  const float middle = recipe.fit == AffineFit::kMiddle ? MiddleCode(recipe) : 0.0F;

  Prepare(group, input.elements.size());
  group.scale = static_cast<double>(scale);
  group.zero_point = static_cast<double>(stored);
  const auto largest = static_cast<float>(recipe.largest);
  for (std::size_t i = 0; i < input.elements.size(); ++i) {
    const float above = step(input.elements[i] - fit.origin);
    const float q =
        step(recipe.quotient == CodeQuotient::kDivide ? above / fit.scale : above * factor);
    const float rounded =
        recipe.ties == Ties::kUp ? std::trunc(step(q + 0.5F)) : RoundToInteger(q, recipe.ties);
    if (rounded < 0.0F || rounded > largest) group.saturated.Note(static_cast<std::int64_t>(i));
    const float code = std::isnan(rounded) ? 0.0F : std::clamp(rounded, 0.0F, largest) + 0.0F;
    group.codes[i] = static_cast<double>(code);
    group.values[i] = value_step(value_step((code - middle) * scale) + stored);
  }
  return {};
}

}  // namespace narrowgauge::internal
