#ifndef NARROWGAUGE_QUANTIZATION_H_
#define NARROWGAUGE_QUANTIZATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "narrowgauge/block_format.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/rounding.h"
#include "narrowgauge/status.h"

// How an operand is stored: its format, who shares a scale, and how scales and codes are found.
//
// With x an element, s its scale and z its zero point, the code of x is
//   q = clip(round(x / s) + z, lowest, largest)   and its value   v = float32((q - z) * s),
// x / s rounded once to float32 (float64 for float64 weights). Floats have no z and clip as
// OverflowMode says. Casts have neither: q is x rounded once to the format, v = q.
//
// A scale is the range of its elements (RangeMethod) divided by what ScaleRange or ZeroPoint says,
// for floats by their largest value, and rounded once, to its dtype, before codes are made:
//   range 0          s is 1; the codes of a group of zeros mean 0.
//   float8_e8m0fnu   Rounded up to a power of two, so that nothing saturates; 2^-127 at least.
//   float8_e4m3fn    To nearest, ties to even; 448 at most.
//   others           To nearest, ties to even; beyond the largest value lies infinity.
// A scale that underflows to 0 is kept: codes are what division by 0 gives, clipped (of x = 0, the
// code of 0), and values are 0, or with ZeroPoint::kFloat the minimum. Scales come from finite
// elements only.
//
// Block formats have rules of their own: MxScaleRule, and BlockFamily in block_format.h. A block
// scale of NVFP4 is max|x| / 6 / S rounded to E4M3, with S = max|x| of the tensor / (6 * 448), or 1
// where that is 0; s is their product in float32.
//
// Conventions of other packages deviate; see convention.h.

namespace narrowgauge {

// Who shares a scale, in a matrix w[K, N]. For activations x[M, K] read m for n.
enum class GranularityKind : std::uint8_t {
  kUnscaled,  // Nobody: the format is used as it is.
  kTensor,    // All elements.
  kChannel,   // Those of one output channel n.
  kInput,     // Those of one k.
  kGroup,     // `rows` consecutive k of one channel.
  kBlock,     // `rows` consecutive k of `columns` consecutive channels.
};

struct QuantizationGranularity {
  GranularityKind kind = GranularityKind::kUnscaled;
  std::int64_t rows = 0;     // Of kGroup and kBlock, else 0.
  std::int64_t columns = 0;  // Of kBlock, else 0.
  friend bool operator==(const QuantizationGranularity&, const QuantizationGranularity&) = default;
};

// What the largest |x| of a scale is divided by, and which codes there are: for b bits
enum class ScaleRange : std::uint8_t {
  kNarrow,  // 127: divides by 2^(b-1) - 1; codes -(2^(b-1) - 1) to 2^(b-1) - 1.
  kMiddle,  // 127.5: divides by 2^(b-1) - 1/2; codes -2^(b-1) to 2^(b-1) - 1.
  kFull,    // 128: divides by 2^(b-1); codes -2^(b-1) to 2^(b-1) - 1.
};

// Unsigned integers need a zero point; floats have none.
enum class ZeroPoint : std::uint8_t {
  kNone,
  kInteger,  // s = (max - min) / (2^b - 1) with 0 counted among the elements;
             // z = clip(round(lowest - min / s), lowest, largest).
  kFloat,    // s = (max - min) / (2^b - 1) of the elements alone; q = clip(round((x - m) / s)),
             // from 0, and v = q * s + m, m being min rounded to the dtype of scales.
};

// How the range that a scale must cover is found.
enum class RangeMethod : std::uint8_t {
  kAbsmax,      // It covers all elements.
  kPercentile,  // It covers the given percentage of the magnitudes (or on both sides).
  kMse,         // The one of 64 shrunk ranges whose sum of squared errors is least.
};

// How the power of two of an MX block follows from its largest magnitude a; emax is the exponent of
// the element format's largest value M.
enum class MxScaleRule : std::uint8_t {
  kFloor,    // 2^(floor(log2 a) - emax): OCP MX 1.0, section 6.3. Values above M saturate.
  kCeil,     // 2^(ceil(log2 a) - emax)
  kRceil,    // 2^ceil(log2(a / M)): nothing saturates.
  kNearest,  // 2^round(log2(a / M)): the nearest by ratio. Values above M saturate.
};

// Where scales enter a product.
enum class ScaleUse : std::uint8_t {
  kDefault,  // Before for float accumulators, after for integer ones and models of hardware.
  kBefore,   // Operands are dequantised, then multiplied.
  kAfter,    // Codes are multiplied; the sum of each group is scaled.
};

struct Convention;  // convention.h

// The defaults of every field but the format are those of MakeSpec.
struct QuantizationSpec {
  DType dtype = DType::kFloat32;  // Of the elements, unless block_format is set.
  std::optional<BlockFormat> block_format =
      {};  // Then granularity, scale_dtype and dtype are unused.
  QuantizationGranularity granularity = {};
  DType scale_dtype = DType::kFloat32;
  ScaleRange range = ScaleRange::kNarrow;
  ZeroPoint zero_point = ZeroPoint::kNone;
  RangeMethod method = RangeMethod::kAbsmax;
  double percentile = 100;  // Of kPercentile: above 0, up to 100.
  RoundingMode rounding = RoundingMode::kNearestEven;
  OverflowMode overflow = OverflowMode::kNative;
  MxScaleRule rule = MxScaleRule::kFloor;
  ScaleUse scale_use = ScaleUse::kDefault;
  const Convention* convention = nullptr;  // A row of AllConventions(); null: as defined here.
  friend bool operator==(const QuantizationSpec&, const QuantizationSpec&) = default;
};

// Returns the spec of a format with the default of everything else: scaled formats saturate, casts
// overflow natively; unsigned integers have an integer zero point.
[[nodiscard]] QuantizationSpec MakeSpec(DType dtype, QuantizationGranularity granularity = {});
[[nodiscard]] QuantizationSpec MakeSpec(BlockFormat format);

// Whether a spec has no scales: each element is converted by itself.
[[nodiscard]] inline bool IsCast(const QuantizationSpec& spec) {
  return !spec.block_format && spec.granularity.kind == GranularityKind::kUnscaled;
}

// Returns OK, or kInvalidArgument with what contradicts what: a zero point of a float, a scale
// dtype without scales, sizes below 1, an integer without a scale, and so on. Scales are for
// formats of 16 bits or fewer, and are float32, bfloat16, float16, float8_e8m0fnu or float8_e4m3fn.
// What a convention says of itself is not looked at here; ParseSpec does.
[[nodiscard]] Result<void> ValidateSpec(const QuantizationSpec& spec);

// Returns the spec's text, as in "float8_e4m3fn/group:128,scale=bfloat16". Keys whose value is the
// default of the format, or what the convention has, are left out; the others are in the order of
// precision_policy.h. ParseSpec reads the text of a valid spec back without loss.
[[nodiscard]] std::string FormatSpec(const QuantizationSpec& spec);

// Parses FORMAT[/GRANULARITY][,KEY=VALUE...] (precision_policy.h). kInvalidArgument names the
// accepted words and the nearest one, or what contradicts what, as ValidateSpec does.
[[nodiscard]] Result<QuantizationSpec> ParseSpec(std::string_view text);

// Returns what the spec means in words, one sentence after another, convention included.
[[nodiscard]] std::string ExplainSpec(const QuantizationSpec& spec);

// What a matrix of K x N elements takes in memory under a spec, packed. With a convention, scales
// are in the type in which its package keeps them, which may be that of the weights:
// `stored_dtype`. kOutOfRange if a size does not fit into int64.
struct StoredBytes {
  std::int64_t codes = 0;    // Of all elements, rounded up to whole bytes once.
  std::int64_t scales = 0;   // Scales, zero points, minima, and the scale of a tensor.
  std::int64_t padding = 0;  // What fills up the last blocks of MX, NVFP4 and ggml.
};
[[nodiscard]] Result<StoredBytes> CountStoredBytes(const QuantizationSpec& spec, std::int64_t depth,
                                                   std::int64_t columns,
                                                   DType stored_dtype = DType::kFloat32);

// How often something happened, and where first. Indices are n * K + k in a matrix w[K, N].
struct Occurrences {
  std::int64_t count = 0;
  std::int64_t first_index = -1;  // The lowest; -1 if there is none.

  void Note(std::int64_t index, std::int64_t times = 1);
  void Merge(const Occurrences& other);
  friend bool operator==(const Occurrences&, const Occurrences&) = default;
};

// What quantisation did that a mean would hide. Scales are noted at the first element of their
// group; those that channels share, once.
struct QuantizationCounts {
  Occurrences saturated;         // The rounded code lay outside the codes there are.
  Occurrences flushed_to_zero;   // x is not zero, v is.
  Occurrences sign_flipped;      // x and v have opposite signs.
  Occurrences zero_scales;       // Groups of zeros, whatever their scale became.
  Occurrences subnormal_scales;  // Not zero, and less than the smallest normal of their dtype.
  Occurrences
      underflowed_scales;  // Rounded to 0, or raised to the least there is, over elements not 0.
  Occurrences overflowed_scales;  // Rounded to infinity or NaN, or lowered to the largest there is.

  void Merge(const QuantizationCounts& other);
  friend bool operator==(const QuantizationCounts&, const QuantizationCounts&) = default;
};

// One of them, and its key in reports.
struct QuantizationCount {
  std::string_view name;
  Occurrences QuantizationCounts::*counted;
};

// All of them, in the order of reports.
inline constexpr QuantizationCount kQuantizationCounts[] = {
    {"saturated", &QuantizationCounts::saturated},
    {"flushed_to_zero", &QuantizationCounts::flushed_to_zero},
    {"sign_flipped", &QuantizationCounts::sign_flipped},
    {"zero_scales", &QuantizationCounts::zero_scales},
    {"subnormal_scales", &QuantizationCounts::subnormal_scales},
    {"underflowed_scales", &QuantizationCounts::underflowed_scales},
    {"overflowed_scales", &QuantizationCounts::overflowed_scales},
};

}  // namespace narrowgauge

#endif  // NARROWGAUGE_QUANTIZATION_H_
