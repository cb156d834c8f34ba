#include <vector>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge {

std::span<const NamedPolicy> TutorialPolicies() {
  static const std::vector<NamedPolicy> policies = {
      {"bf16 (fp32 accum)",
       {.weights = MakeSpec(DType::kBFloat16), .activations = MakeSpec(DType::kBFloat16)}},
      {"bf16 (bf16 accum)",
       {.weights = MakeSpec(DType::kBFloat16),
        .activations = MakeSpec(DType::kBFloat16),
        .output = DType::kBFloat16}},
      {"int8 per-col (fp32 accum)",
       {.weights = MakeSpec(DType::kInt8, {.kind = GranularityKind::kChannel})}}};
  return policies;
}

std::span<const NamedPolicy> Bfloat16AccumulatorPolicies() {
  static const std::vector<NamedPolicy> policies = {{"bf16 sequential",
                                                     {.weights = MakeSpec(DType::kBFloat16),
                                                      .activations = MakeSpec(DType::kBFloat16),
                                                      .accumulation = {DType::kBFloat16, 0},
                                                      .output = DType::kBFloat16}},
                                                    {"bf16 between blocks of 128",
                                                     {.weights = MakeSpec(DType::kBFloat16),
                                                      .activations = MakeSpec(DType::kBFloat16),
                                                      .accumulation = {DType::kBFloat16, 128},
                                                      .output = DType::kBFloat16}}};
  return policies;
}

}  // namespace narrowgauge
