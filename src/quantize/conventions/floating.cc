#include <algorithm>
#include <cmath>
#include <vector>

#include "src/quantize/conventions/element.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

// All formats here have a NaN.
constexpr int kNoNanCode = 0;

// The standard deviation of all finite values of a format, in the order of their codes.
float DeviationOfCodes(const DTypeInfo& info) {
  std::vector<float> values;
  for (std::uint64_t code = 0; code < std::uint64_t{1} << info.total_bits; ++code) {
    const float value = DecodeFloat32(info, code);
    if (std::isfinite(value)) values.push_back(value);
  }
  return StandardDeviation(values, DType::kFloat32);
}

struct FloatScale {
  float found = 0;
  float stored = 0;
};

FloatScale ScaleOf(const FloatRecipe& recipe, const ElementRange& range, bool is_only,
                   DType weights, const Step& step) {
  float measure = range.Absmax();
  auto divisor = static_cast<float>(recipe.divisor);
  if (recipe.measure == Measure::kDeviation) {
    static const float deviation_of_codes = DeviationOfCodes(GetDTypeInfo(DType::kFloat8E4M3Fn));
    measure = range.deviation;
    divisor = deviation_of_codes;
  }
  if (recipe.measure_to_one && static_cast<double>(measure) <= *recipe.measure_to_one) measure = 1;
  const float ratio = recipe.stored_scale == StoredScale::kReciprocal
                          ? step(step(1.0F / measure) * divisor)
                          : DivideMeasure(measure, divisor, recipe.scale_quotient, is_only, step);
  FloatScale scale;
  scale.found = ReplaceSmallScale(recipe.small_scale, ratio, step.Type());
  scale.stored = RoundTo(recipe.scale_dtype.value_or(weights), scale.found);
  return scale;
}

}  // namespace

Result<void> QuantizeGroup(const FloatRecipe& recipe, const GroupInput& input,
                           QuantizedGroup& group) {
  const Step scale_step(recipe.scale_step, input.weights, recipe.subnormals);
  const Step code_step(recipe.code_step, input.weights, recipe.subnormals);
  const Step value_step(StepType::kWeights, input.weights, recipe.subnormals);
  ElementRange range = ScaleRangeOf(input, recipe.subnormals);
  if (recipe.measure == Measure::kDeviation && input.shared == nullptr) {
    range.deviation = StandardDeviation(input.elements, value_step.Type());
  }
  const FloatScale scale =
      ScaleOf(recipe, range, input.has_only_scale, value_step.Type(), scale_step);
  const bool is_reciprocal = recipe.stored_scale == StoredScale::kReciprocal;
  const float reciprocal = ReciprocalOf(scale.stored, recipe.infinite_reciprocal, code_step);
  const float factor = is_reciprocal ? scale.stored : reciprocal;
  const float back = is_reciprocal ? reciprocal : scale.stored;
  const bool divides =
      !is_reciprocal && !UsesReciprocal(recipe.quotient, IsShared(input), code_step);

  const ElementFormat& format = GetElementFormat(recipe.element);
  const ElementSign sign =
      recipe.adds_zero ? ElementSign::kOfElementPlusZero : ElementSign::kOfElement;
  Prepare(group, input.elements.size());
  group.scale = static_cast<double>(scale.stored);
  for (std::size_t i = 0; i < input.elements.size(); ++i) {
    const float x = code_step(input.elements[i]);
    const float q = code_step(divides ? x / scale.stored : x * factor);
    if (std::isnan(q) && recipe.refusal == Refusal::kNanCode) {
      return MakeError(StatusCode::kFailedPrecondition, "refuses a code of NaN");
    }
    const ElementFormat::Coded coded = format.Round(q, ElementTies::kEven, sign, kNoNanCode);
    if (coded.saturated) group.saturated.Note(static_cast<std::int64_t>(i));
    group.codes[i] = coded.code;
    group.values[i] = value_step(coded.value * back);
  }
  return {};
}

}  // namespace narrowgauge::internal
