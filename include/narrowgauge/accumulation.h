#ifndef NARROWGAUGE_ACCUMULATION_H_
#define NARROWGAUGE_ACCUMULATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"
#include "narrowgauge/sum_format.h"

// How a dot product is summed. An AccumulationSpec says it in the words of a policy; a DotModel is
// what those words and every model of hardware come down to.

namespace narrowgauge {

// ---- The words ---------------------------------------------------------------------------------

enum class SumKind : std::uint8_t {
  kFloat,
  kE8M13,  // Eight bits of exponent and 13 of mantissa: what NVIDIA's FP8 units keep of a sum.
  kInt32,  // Of integers. Their sum does not depend on an order.
};

// What integer sums do where a result does not fit.
enum class IntegerOverflow : std::uint8_t {
  kExact,       // Sums are as wide as they have to be.
  kWrap,        // Modulo 2^32.
  kSaturate16,  // The products of k and k + 1, k even, are added and clipped to 16 bits
                // (VPMADDUBSW); the sums of pairs modulo 2^32.
};

// A type that is summed in.
struct SumType {
  SumKind kind = SumKind::kFloat;
  DType dtype = DType::kFloat32;  // Of kFloat: one that has a zero. kInt32 is for `type` alone.
  friend bool operator==(const SumType&, const SumType&) = default;
};

enum class SumOrder : std::uint8_t {
  kSequential,
  kPairwise,  // [0, n/2) + [n/2, n), and so on down to single terms.
  kAligned,   // Groups of products, aligned to the largest and added at once to the sum so far.
};

// How the passes over split operands are ordered: by the compiler that writes them.
enum class PassOrder : std::uint8_t {
  kXlaGpu,
  kXlaTpu,
};

struct HardwareModel;

// What a matmul sums in, apart from what it returns.
struct AccumulationSpec {
  SumType type = {};
  IntegerOverflow overflow = IntegerOverflow::kExact;  // Of kInt32, for which no more is said.

  // The products of a block, or of all k.
  SumOrder order = SumOrder::kSequential;
  bool separate = false;     // Products are rounded before they are added.
  std::int64_t group = 0;    // kAligned: so many products at a time, kLargestAlignedGroup at most,
  std::int64_t bits = 0;     // each cut to so many bits below the largest exponent.
  std::int64_t promote = 0;  // kAligned: begins anew each so many k; sums are added in float32.

  std::int64_t block = 0;  // Consecutive k that are summed from zero; 0: no blocks.
  SumOrder block_order = SumOrder::kSequential;  // Of the blocks' sums; never kAligned.
  std::optional<SumType> inner = {};             // What a block is summed in, if not `type`.
  bool rounds_block_sums = false;                // To `type`, before they are added.

  std::int64_t slices = 1;              // Of split-K: consecutive k, whose sums are added in order.
  std::optional<SumType> partial = {};  // What a slice's sum is rounded to, if not `type`.
  std::optional<SumType> reduce = {};   // What slices are added in, if not `type`.

  const HardwareModel* hardware = nullptr;  // Instead of all the above.

  // Factors of float32 in parts of a narrower type, each pass a product of parts: 3, 6 or 9 of
  // bfloat16, 3 of tf32; 1: factors as they are.
  int passes = 1;
  DType parts = DType::kBFloat16;
  bool splits_to_nearest =
      false;  // Parts are rounded to nearest; else cut, all but bfloat16's last.

  friend bool operator==(const AccumulationSpec&, const AccumulationSpec&) = default;
};

// The dtype of what an accumulation returns if nothing else is asked for: its own, float32 for
// e8m13, integers, promoted sums, several passes and hardware.
[[nodiscard]] DType OwnOutput(const AccumulationSpec& accumulation);

// ---- The model ---------------------------------------------------------------------------------

// How the products of consecutive k become one number, from zero.
enum class InnerOrder : std::uint8_t {
  kChain,     // sum = round(sum + product), product after product.
  kPairwise,  // round([0, n/2) + [n/2, n)), and so on down to single products.
  kAligned,   // Groups of products, aligned and added at once to the sum so far.
  kExact,     // The exact sum, rounded once.
  kInteger,   // Of integer factors, by `overflow`; sums stay exact in float64.
};

// How a group's products meet the sum so far. CDNA 3 aligns products with each other first, then
// their sum with the sum so far, both rounded down; of FP8 it does so with even and odd k apart,
// rounds both sums down where they meet, and drops a sum so far that lies more than 25 bits below.
enum class Alignment : std::uint8_t { kTogether, kProductsThenSum, kEvenAndOddThenSum };

struct InnerSum {
  InnerOrder order = InnerOrder::kChain;
  SumFormat format = {};

  // kChain and kPairwise: products are rounded before they are added.
  bool rounds_products = false;

  // kChain. k runs 1, 0, 3, 2, ...
  bool odd_before_even = false;
  // So many chains side by side, k modulo it; then their sums in a tree over neighbours.
  int lanes = 1;

  // kAligned: so many products at a time, each cut toward zero to `bits` bits below the largest
  // exponent among them and the sum. The exponent of a product is that of its factors, added.
  std::int64_t group = 0;
  int bits = 0;
  Alignment alignment = Alignment::kTogether;

  IntegerOverflow overflow = IntegerOverflow::kExact;  // kInteger.
};

// One pass multiplies part `x` of the one factor with part `w` of the other; 0 is the largest.
struct Pass {
  int x = 0;
  int w = 0;
};

// Each part is the factor less the larger parts, cut to `parts` or rounded to nearest. Passes are
// sums of their own, added in float32 in their order, the first ones the least; NaN in place of
// all but the last becomes 0 before that is added, so that infinite factors survive.
struct MultiPass {
  std::span<const Pass> passes = {};  // Empty: factors are multiplied as they are.
  int part_count = 1;
  DType parts = DType::kBFloat16;
  bool rounds_parts = false;      // To nearest, all but the last one,
  bool rounds_last_part = false;  // and this one.
  // A pass begins with the sum so far in place of zero and adds its blocks to it.
  bool continues_sum = false;
};

struct DotModel {
  InnerSum inner = {};

  // Blocks of so many consecutive k, each an inner sum of its own, whose sums are added in `outer`;
  // 0: none.
  std::int64_t block = 0;
  SumFormat outer = {};
  bool outer_is_pairwise = false;
  bool rounds_block_sums = false;  // To `outer`, before they are added.

  // Slices of consecutive k, whose sums are rounded to `partial` and added in `reduce`, in order.
  // Each has ceil(K / slices) k, the last ones fewer or none.
  std::int64_t slices = 1;
  SumFormat partial = {};
  SumFormat reduce = {};

  bool flushes_operands = false;  // Subnormal operands count as zero.

  MultiPass multi_pass = {};
};

// ---- Hardware ----------------------------------------------------------------------------------

// What a model was held against.
enum class HardwareEvidence : std::uint8_t {
  kCaptured,  // Results captured on the hardware, bit for bit.
  kManual,    // The vendor's description of the instruction.
  kPaper,     // A paper or another's reverse engineering only.
};

// A unit of hardware that forms dot products, by its full name: "nvidia/h100".
struct HardwareModel {
  std::string_view name;
  std::string_view summary;
  PassOrder pass_order = PassOrder::kXlaGpu;
};

[[nodiscard]] std::span<const HardwareModel> AllHardware();

// kInvalidArgument names those there are and the nearest.
[[nodiscard]] Result<const HardwareModel*> FindHardware(std::string_view name);

// How a unit multiplies factors x and w of two types.
struct HardwarePath {
  DType x = DType::kFloat32;
  DType w = DType::kFloat32;
  DotModel model = {};
  HardwareEvidence evidence = HardwareEvidence::kPaper;
  std::string_view source;
};

// The pairs of types that a unit multiplies, each with its model.
[[nodiscard]] std::span<const HardwarePath> PathsOf(const HardwareModel& hardware);

// Returns the path that an accumulation takes with factors of these types: of its unit of hardware,
// for parts of them if it has several passes. Null without hardware, or if the unit has none.
[[nodiscard]] const HardwarePath* PathFor(const AccumulationSpec& accumulation, DType x, DType w);

// "checked against captured results", "after the vendor's manual", "after a paper only".
[[nodiscard]] std::string_view HardwareEvidenceWords(HardwareEvidence evidence);

// Returns what an accumulation does with factors of these types. kInvalidArgument if it is a unit
// of hardware that does not multiply them, with those it does, or if they cannot be split into
// parts.
[[nodiscard]] Result<DotModel> ModelOf(const AccumulationSpec& accumulation, DType x, DType w);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_ACCUMULATION_H_
