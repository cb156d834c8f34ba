#ifndef NARROWGAUGE_PRECISION_POLICY_H_
#define NARROWGAUGE_PRECISION_POLICY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/dtype.h"

namespace narrowgauge {

// Which elements share a scale: none (the format is used unscaled), or those of one output channel.
enum class QuantizationGranularity : std::uint8_t { kUnscaled, kChannel };

// How an operand is stored: a format, and who shares a scale. Scales are float32, symmetric, absmax
// over 127 for int8; rounding is to nearest, ties to even.
struct QuantizationSpec {
  DType dtype = DType::kFloat32;
  QuantizationGranularity granularity = QuantizationGranularity::kUnscaled;
  friend bool operator==(const QuantizationSpec&, const QuantizationSpec&) = default;
};

// What a matmul sums in, apart from what it returns.
struct AccumulationSpec {
  DType dtype = DType::kFloat32;
  // 0: one sequential chain in `dtype`. B > 0: float32 inside blocks of B consecutive k, each begun
  // at zero, and `dtype` between blocks.
  std::int64_t float32_block = 0;
  friend bool operator==(const AccumulationSpec&, const AccumulationSpec&) = default;
};

// The whole recipe of one matmul y = x * w. Accumulator and output type are separate axes.
struct PrecisionPolicy {
  QuantizationSpec weights = {};
  QuantizationSpec activations = {};
  AccumulationSpec accumulation = {};
  DType output = DType::kFloat32;
  friend bool operator==(const PrecisionPolicy&, const PrecisionPolicy&) = default;
};

// A policy that has a name.
struct NamedPolicy {
  std::string_view name;
  PrecisionPolicy policy;
};

// Returns the canonical text, such as "w=int8/channel a=float32 acc=float32 out=float32".
[[nodiscard]] std::string FormatPolicy(const PrecisionPolicy& policy);

// The tutorial's three policies, in its order and under its names.
[[nodiscard]] std::span<const NamedPolicy> TutorialPolicies();

// True bfloat16 accumulators on the tutorial's operands: what its second row's name suggests.
[[nodiscard]] std::span<const NamedPolicy> Bfloat16AccumulatorPolicies();

}  // namespace narrowgauge

#endif  // NARROWGAUGE_PRECISION_POLICY_H_
