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
};

// A type that is summed in.
struct SumType {
  SumKind kind = SumKind::kFloat;
  DType dtype = DType::kFloat32;  // Of kFloat: one that has a zero.
  friend bool operator==(const SumType&, const SumType&) = default;
};

enum class SumOrder : std::uint8_t {
  kSequential,
  kPairwise,  // [0, n/2) + [n/2, n), and so on down to single terms.
  kAligned,   // Groups of products, aligned to the largest and added at once to the sum so far.
};

struct HardwareModel;

// What a matmul sums in, apart from what it returns.
struct AccumulationSpec {
  SumType type = {};

  // The products of a block, or of all k.
  SumOrder order = SumOrder::kSequential;
  bool separate = false;     // Products are rounded before they are added.
  std::int64_t group = 0;    // kAligned: so many products at a time,
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

  friend bool operator==(const AccumulationSpec&, const AccumulationSpec&) = default;
};

// The dtype of what an accumulation returns if nothing else is asked for: its own, float32 for
// e8m13, for promoted sums and for hardware.
[[nodiscard]] DType OwnOutput(const AccumulationSpec& accumulation);

// ---- The model ---------------------------------------------------------------------------------

// How the products of consecutive k become one number, from zero.
enum class InnerOrder : std::uint8_t {
  kChain,     // sum = round(sum + product), product after product.
  kPairwise,  // round([0, n/2) + [n/2, n)), and so on down to single products.
  kAligned,   // Groups of products, aligned and added at once to the sum so far.
  kExact,     // The exact sum, rounded once.
};

// AMD's CDNA 3 aligns the products of a group first, then their sum with the sum so far, both
// rounded down.
enum class Alignment : std::uint8_t { kTogether, kProductsThenSum };

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
};

[[nodiscard]] std::span<const HardwareModel> AllHardware();

// kInvalidArgument names those there are and the nearest.
[[nodiscard]] Result<const HardwareModel*> FindHardware(std::string_view name);

// How a unit multiplies operands of one type.
struct HardwarePath {
  DType operands = DType::kFloat32;
  DotModel model = {};
  HardwareEvidence evidence = HardwareEvidence::kPaper;
  std::string_view source;
};

// The types that a unit multiplies, each with its model.
[[nodiscard]] std::span<const HardwarePath> PathsOf(const HardwareModel& hardware);

// "checked against captured results", "after the vendor's manual", "after a paper only".
[[nodiscard]] std::string_view HardwareEvidenceWords(HardwareEvidence evidence);

// Returns what an accumulation does with factors of these types. kInvalidArgument if it is a unit
// of hardware that does not multiply them; the message names those it does.
[[nodiscard]] Result<DotModel> ModelOf(const AccumulationSpec& accumulation, DType x, DType w);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_ACCUMULATION_H_
