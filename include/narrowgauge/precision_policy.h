#ifndef NARROWGAUGE_PRECISION_POLICY_H_
#define NARROWGAUGE_PRECISION_POLICY_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/accumulation.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"

// A policy is text and value at once; the two convert without loss.
//
//   policy       = parts "w=" spec, "a=" spec, "acc=" accumulation, "out=" dtype between
//                  whitespace, in any order, each at most once, at least one
//   spec         = format ["/" granularity] {"," key "=" value}     each key at most once
//   format       = name or alias of a dtype or block format
//   granularity  = "tensor" | "channel" | "input" | "group:" G | "block:" R "x" C
//   key          = scale=DTYPE   range=127|127.5|128   zero=none|int|float
//                  method=absmax|percentile:P|mse   round=even|away|zero|stochastic
//                  overflow=native|saturate   rule=floor|ceil|rceil|nearest
//                  apply=before|after   like=NAME[/SCHEME]
//   accumulation = type ["/" orders] {"," key "=" value}  |  VENDOR "/" MODEL
//   orders       = ["split-k:" S "+"] [["sequential" | "pairwise"] "+" "block:" B "+"]
//                  ["sequential" | "pairwise" | "aligned:" G]     what is left out, with its "+"
//   type         = a float dtype with a zero | "e8m13" | "int32"
//   key          = fma=fused|separate   inner=TYPE   handoff=keep|round   partial=TYPE
//                  reduce=TYPE   bits=F   promote=N   overflow=exact|wrap|saturate16
//                  passes=3|6|9   parts=bfloat16|tf32   split=cut|nearest
//
// w and a are float32 if left out, acc is float32, and out, a float, is acc's type (float32 for
// e8m13, for integers, promoted sums, several passes and hardware). A key that says nothing about
// its format is refused, whatever its value. With like=, what the text leaves out is as the
// convention has it, the granularity too; of keys that differ only apply= is accepted.
//
// Orders nest, the outermost first: slices of split-K, then how the sums of blocks are added, then
// how products are. aligned:G needs bits=F. int32 has no order and, of the keys, overflow= alone;
// models of hardware are those of AllHardware() and have passes=, parts= and split= alone.

namespace narrowgauge {

// The whole recipe of one matmul y = x * w. Accumulator and output type are separate axes.
struct PrecisionPolicy {
  QuantizationSpec weights = {};
  QuantizationSpec activations = {};
  AccumulationSpec accumulation = {};
  DType output = DType::kFloat32;
  friend bool operator==(const PrecisionPolicy&, const PrecisionPolicy&) = default;
};

// A policy under the name that a report's row carries: a preset's, or its brief text.
struct NamedPolicy {
  std::string name;
  PrecisionPolicy policy;
};

// Returns the canonical text, such as "w=int8/channel a=float32 acc=float32 out=float32". Every
// part is written.
[[nodiscard]] std::string FormatPolicy(const PrecisionPolicy& policy);

// Returns the canonical text without the parts that ParsePolicy would add: "w=int8/channel". Two
// policies have the same brief text only if they are the same.
[[nodiscard]] std::string FormatPolicyBriefly(const PrecisionPolicy& policy);

// Parses a policy. kInvalidArgument names the part, the accepted words and the nearest one. What
// parts of a policy mean together is ModelOf's to judge.
[[nodiscard]] Result<PrecisionPolicy> ParsePolicy(std::string_view text);

// Whether an operand's codes are multiplied and its scales applied to the sums: scales that are
// said to be applied after, or said nothing of where integers are summed or hardware is.
[[nodiscard]] bool MultipliesCodes(const QuantizationSpec& operand,
                                   const AccumulationSpec& accumulation);

// The types of what a policy multiplies: of casts and codes their format; else float32.
struct Factors {
  DType x = DType::kFloat32;
  DType w = DType::kFloat32;
};
[[nodiscard]] Factors FactorsOf(const PrecisionPolicy& policy);

// Returns what the policy does with its factors. kInvalidArgument for what no engine can do: types
// that a unit of hardware does not multiply, integer sums of floats, scales after the product
// that differ within it, and so on.
[[nodiscard]] Result<DotModel> ModelOf(const PrecisionPolicy& policy);

// Returns what the policy means in words: its weights, its activations, its accumulator, what it
// returns and the names of dot algorithms that ask for it, a sentence or more each.
[[nodiscard]] std::string ExplainPolicy(const PrecisionPolicy& policy);

// Returns the policies with their weights quantised as NAME[/SCHEME] does: of NAME alone the scheme
// of the weights' format. Casts stay as they are. Without policies, one: the scheme's own.
// kInvalidArgument if the ecosystem has no such scheme, or if a spec contradicts it.
[[nodiscard]] Result<std::vector<NamedPolicy>> FollowConvention(
    std::span<const NamedPolicy> policies, std::string_view like);

// A list of policies that has a name.
struct Preset {
  std::string_view name;
  std::string_view summary;
  std::span<const NamedPolicy> (*policies)();  // Parsed when first asked for.
};

// "tutorial", "weights", "mx", "formats", "bf16-accumulators", "accumulators", "tpu/default",
// "tpu/high", "tpu/highest", "dot-algorithms".
[[nodiscard]] std::span<const Preset> AllPresets();

// kInvalidArgument names the accepted words and the nearest one.
[[nodiscard]] Result<std::span<const NamedPolicy>> FindPreset(std::string_view name);

// The tutorial's three policies, in its order and under its names.
[[nodiscard]] std::span<const NamedPolicy> TutorialPolicies();

// True bfloat16 accumulators on the tutorial's operands: what its second row's name suggests.
[[nodiscard]] std::span<const NamedPolicy> Bfloat16AccumulatorPolicies();

}  // namespace narrowgauge

#endif  // NARROWGAUGE_PRECISION_POLICY_H_
