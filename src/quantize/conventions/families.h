#ifndef NARROWGAUGE_QUANTIZE_CONVENTIONS_FAMILIES_H_
#define NARROWGAUGE_QUANTIZE_CONVENTIONS_FAMILIES_H_

#include <span>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"
#include "src/quantize/conventions/range.h"
#include "src/quantize/recipe.h"

namespace narrowgauge::internal {

// One group: the elements that share a scale, as they are stored.
struct QuantizedGroup {
  std::vector<double> codes;   // Integers as they are; floats as their codes' bits; NaN: no code.
  std::vector<float> values;   // Dequantised.
  double scale = 0;            // As stored.
  double zero_point = 0;       // Integer zero point, minimum or bias; 0 where there is none.
  int scale_code = -1;         // Of float8_e8m0fnu and float8_e4m3fn scales, else -1.
  float tensor_scale = 0;      // That of the whole tensor, where there is one.
  bool scale_clamped = false;  // To the largest value of its dtype.
  Occurrences saturated;       // Indices are those of the group's elements.
};

// A group as its recipe sees it.
struct GroupInput {
  std::span<const float> elements;       // At least one.
  const ElementRange* shared = nullptr;  // The range to scale by, if not that of the elements.
  float tensor_absmax = 0;               // For recipes with a scale of the tensor.
  DType weights = DType::kFloat32;       // How the elements are stored.
  bool has_only_scale = false;           // The tensor has no other one.
};

// Each does to a group what a recipe says, bit for bit, NaN and infinity included where the package
// defines their outcome. kFailedPrecondition, in a clause without a subject, where the package
// refuses the group. `group`'s vectors are reused.
[[nodiscard]] Result<void> QuantizeGroup(const IntegerRecipe& recipe, const GroupInput& input,
                                         QuantizedGroup& group);
[[nodiscard]] Result<void> QuantizeGroup(const AffineRecipe& recipe, const GroupInput& input,
                                         QuantizedGroup& group);
[[nodiscard]] Result<void> QuantizeGroup(const FloatRecipe& recipe, const GroupInput& input,
                                         QuantizedGroup& group);
[[nodiscard]] Result<void> QuantizeGroup(const MxRecipe& recipe, const GroupInput& input,
                                         QuantizedGroup& group);
[[nodiscard]] Result<void> QuantizeGroup(const NvFp4Recipe& recipe, const GroupInput& input,
                                         QuantizedGroup& group);

[[nodiscard]] inline Result<void> QuantizeGroup(const QuantizationRecipe& recipe,
                                                const GroupInput& input, QuantizedGroup& group) {
  return std::visit([&](const auto& arithmetic) { return QuantizeGroup(arithmetic, input, group); },
                    recipe.arithmetic);
}

// Empties a group for so many elements, whose codes and values are to be written.
inline void Prepare(QuantizedGroup& group, std::size_t count) {
  group.codes.resize(count);
  group.values.resize(count);
  group.scale = group.zero_point = 0;
  group.scale_code = -1;
  group.tensor_scale = 0;
  group.scale_clamped = false;
  group.saturated = {};
}

// Whether the scale of a group is that of several elements.
[[nodiscard]] inline bool IsShared(const GroupInput& input) {
  return input.shared != nullptr || input.elements.size() > 1;
}

// Returns the range that a group is scaled by.
[[nodiscard]] inline ElementRange ScaleRangeOf(const GroupInput& input, Subnormals subnormals) {
  return input.shared != nullptr ? *input.shared : RangeOf(input.elements, subnormals);
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTIONS_FAMILIES_H_
