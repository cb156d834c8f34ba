#ifndef NARROWGAUGE_DOT_ALGORITHM_H_
#define NARROWGAUGE_DOT_ALGORITHM_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/precision_policy.h"
#include "narrowgauge/status.h"

// The names that JAX and StableHLO have for how a matmul computes, and what becomes of them: JAX's
// DotAlgorithmPreset (jax 0.10.2, jax/_src/lax/lax.py), whose names XLA has too, and the fields of
// StableHLO's dot_algorithm. The left operand of a dot is x here, the right one w.

namespace narrowgauge {

// One preset: its fields in StableHLO, but for the component counts, which are always 1.
struct DotAlgorithm {
  std::string_view name;          // JAX's: "BF16_BF16_F32_X3".
  DType lhs = DType::kFloat32;    // What the operands are rounded to,
  DType rhs = DType::kFloat32;    // or split into where there are several operations.
  bool takes_any_float8 = false;  // Of either operand; lhs and rhs stand for the others.
  DType accumulation = DType::kFloat32;
  int primitive_operations = 1;
  bool allows_imprecise = false;  // Sums that are less precise than `accumulation`.
};

[[nodiscard]] std::span<const DotAlgorithm> AllDotAlgorithms();

// Returns the attribute as StableHLO prints it:
//   #stablehlo.dot_algorithm<lhs_precision_type = bf16, ..., allow_imprecise_accumulation = false>
[[nodiscard]] std::string FormatDotAlgorithm(const DotAlgorithm& algorithm);

// What backends make of a dot algorithm. "stablehlo" is what the fields say; "xla-gpu", "tpu" and
// "xla-cpu" are what those compilers do with operands stored as float32, or as the format itself
// where it is of 8 bits. xla-gpu sums in float32, one product after another, in place of what its
// library and unit do (a unit of AllHardware() can be put there); of float8 as Hopper does. tpu
// sums as tpu/v5e does.
[[nodiscard]] std::vector<std::string_view> DotBackends();

// Returns the policy of NAME[/BACKEND], where NAME is JAX's or XLA's (dot_bf16_bf16_f32_x3), or
// StableHLO's attribute, or what stands between its brackets; without a BACKEND it is stablehlo.
// The policy's name is NAME/BACKEND. kInvalidArgument for what is unknown, with the nearest, and
// for an algorithm that the backend refuses, with its reason.
[[nodiscard]] Result<NamedPolicy> FollowDotAlgorithm(std::string_view text);

// Returns the "NAME/BACKEND" whose policy this is, in the order of the table; sums of a unit of
// hardware count as those of the backend that has it. Several if it is not unique.
[[nodiscard]] std::vector<std::string> DotAlgorithmsOf(const PrecisionPolicy& policy);

// Every policy that an algorithm and a backend come down to, once, under the first of its names.
[[nodiscard]] std::span<const NamedPolicy> DotAlgorithmPolicies();

}  // namespace narrowgauge

#endif  // NARROWGAUGE_DOT_ALGORITHM_H_
