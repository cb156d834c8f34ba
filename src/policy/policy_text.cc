#include <fmt/format.h>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge {

std::string FormatPolicy(const PrecisionPolicy& policy) {
  const AccumulationSpec& acc = policy.accumulation;
  const std::string_view dtype = DTypeName(acc.dtype);
  const std::string accumulation =
      acc.float32_block == 0 ? std::string(dtype)
                             : fmt::format("{}/block:{},inner=float32", dtype, acc.float32_block);
  return fmt::format("w={} a={} acc={} out={}", FormatSpec(policy.weights),
                     FormatSpec(policy.activations), accumulation, DTypeName(policy.output));
}

}  // namespace narrowgauge
