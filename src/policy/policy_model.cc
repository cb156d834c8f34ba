#include <fmt/format.h>

#include <string>
#include <string_view>

#include "narrowgauge/block_format.h"
#include "narrowgauge/precision_policy.h"
#include "src/policy/words.h"

namespace narrowgauge {
namespace {

using internal::RefuseText;

bool IsGgml(const QuantizationSpec& spec) {
  return spec.block_format && GetBlockFormatInfo(*spec.block_format).family == BlockFamily::kGgml;
}

// The format of the codes that a spec stores; ggml's have no name of their own.
DType CodeType(const QuantizationSpec& spec) {
  if (!spec.block_format) return spec.dtype;
  return GetBlockFormatInfo(*spec.block_format).element.value_or(DType::kInt8);
}

DType FactorType(const QuantizationSpec& spec, const AccumulationSpec& accumulation) {
  const bool is_own = IsCast(spec) || MultipliesCodes(spec, accumulation);
  return is_own ? CodeType(spec) : DType::kFloat32;
}

// Whether the codes of one operand, named `part`, can be multiplied without their scales.
Result<void> CheckScales(std::string_view part, const QuantizationSpec& spec,
                         const AccumulationSpec& accumulation) {
  const auto refuse = [&](std::string_view why) {
    return RefuseText(fmt::format(
        "{}= has scales that cannot be applied after the product: {}; write apply=before, or "
        "another acc, for scales before it",
        part, why));
  };
  if (!MultipliesCodes(spec, accumulation)) return {};
  if (spec.block_format && accumulation.hardware != nullptr &&
      spec.scale_use == ScaleUse::kDefault) {
    return RefuseText(fmt::format(
        "{}=: units that take {} apply its scales inside their sums, of which there is no model "
        "here; write apply=after for scales on the sum of each block",
        part, GetBlockFormatInfo(*spec.block_format).name));
  }
  if (spec.granularity.kind == GranularityKind::kInput) {
    return refuse("with granularity input they differ for every k");
  }
  if (spec.zero_point == ZeroPoint::kFloat)
    return refuse("zero=float adds a minimum to each value");
  if (spec.convention != nullptr || IsGgml(spec)) {
    return refuse("codes of other packages are known as values only");
  }
  return {};
}

Result<void> CheckInteger(std::string_view part, DType factor) {
  if (GetDTypeInfo(factor).kind == DTypeKind::kInteger) return {};
  return RefuseText(
      fmt::format("int32 sums codes of integers, whose scales are applied after it; {}= multiplies "
                  "{}, expected "
                  "one such as {}=int8/channel",
                  part, DTypeName(factor), part));
}

}  // namespace

bool MultipliesCodes(const QuantizationSpec& operand, const AccumulationSpec& accumulation) {
  if (IsCast(operand)) return false;
  if (operand.scale_use != ScaleUse::kDefault) return operand.scale_use == ScaleUse::kAfter;
  return accumulation.hardware != nullptr || accumulation.type.kind == SumKind::kInt32;
}

Factors FactorsOf(const PrecisionPolicy& policy) {
  return {.x = FactorType(policy.activations, policy.accumulation),
          .w = FactorType(policy.weights, policy.accumulation)};
}

Result<DotModel> ModelOf(const PrecisionPolicy& policy) {
  const AccumulationSpec& accumulation = policy.accumulation;
  const Factors factors = FactorsOf(policy);
  Result<void> fits = CheckScales("w", policy.weights, accumulation).and_then([&] {
    return CheckScales("a", policy.activations, accumulation);
  });
  if (accumulation.hardware == nullptr && accumulation.type.kind == SumKind::kInt32) {
    fits = fits.and_then([&] { return CheckInteger("w", factors.w); }).and_then([&] {
      return CheckInteger("a", factors.x);
    });
  }
  if (!fits) return tl::unexpected(fits.error());
  return ModelOf(accumulation, factors.x, factors.w);
}

}  // namespace narrowgauge
