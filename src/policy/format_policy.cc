#include <fmt/format.h>

#include "narrowgauge/precision_policy.h"
#include "src/base/check.h"

namespace narrowgauge {
namespace {

std::string_view GranularitySuffix(QuantizationGranularity granularity) {
  switch (granularity) {
    case QuantizationGranularity::kUnscaled:
      return "";
    case QuantizationGranularity::kChannel:
      return "/channel";
  }
  NG_CHECK(false);
}

std::string FormatSpec(const QuantizationSpec& spec) {
  return fmt::format("{}{}", DTypeName(spec.dtype), GranularitySuffix(spec.granularity));
}

// A sequential order is what a type alone means. A block's inner type is always written: without it
// the text would mean the type itself.
std::string FormatAccumulation(const AccumulationSpec& accumulation) {
  NG_CHECK(accumulation.float32_block >= 0);
  const std::string_view dtype = DTypeName(accumulation.dtype);
  if (accumulation.float32_block == 0) return std::string(dtype);
  return fmt::format("{}/block:{},inner={}", dtype, accumulation.float32_block,
                     DTypeName(DType::kFloat32));
}

}  // namespace

std::string FormatPolicy(const PrecisionPolicy& policy) {
  return fmt::format("w={} a={} acc={} out={}", FormatSpec(policy.weights),
                     FormatSpec(policy.activations), FormatAccumulation(policy.accumulation),
                     DTypeName(policy.output));
}

}  // namespace narrowgauge
