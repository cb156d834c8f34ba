// Specs and policies in words. What they say is the contract of quantization.h.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/convention.h"
#include "narrowgauge/dot_algorithm.h"
#include "narrowgauge/precision_policy.h"
#include "narrowgauge/quantization.h"
#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge {
namespace {

// How one operand is spoken of: w[K, N] has output channels, x[M, K] rows.
struct Operand {
  std::string_view element;
  std::string_view channel;
  std::string_view a_channel;
  std::string_view channels;
};
constexpr Operand kWeights = {"w", "output channel", "an output channel", "output channels"};
constexpr Operand kActivations = {"x", "row m", "a row m", "rows m"};

double LargestValue(const DTypeInfo& info) {
  return internal::Decode(info, internal::LargestFiniteCode(info));
}

std::string_view RoundingWords(RoundingMode rounding) {
  switch (rounding) {
    case RoundingMode::kNearestEven:
      return "rounded to nearest, ties to even";
    case RoundingMode::kNearestAway:
      return "rounded to nearest, ties away from zero";
    case RoundingMode::kTowardZero:
      return "rounded toward zero";
    case RoundingMode::kStochastic:
      return "rounded at random so that the mean is exact";
  }
  return {};
}

// What becomes of magnitudes beyond the largest value.
std::string OverflowWords(const DTypeInfo& info, OverflowMode overflow) {
  const double largest = LargestValue(info);
  const bool has_nan = info.special_values != SpecialValues::kNone;
  if (overflow == OverflowMode::kSaturate || !has_nan) {
    return fmt::format("saturating at {:.6g}", largest);
  }
  const bool has_infinity = info.special_values == SpecialValues::kIeee;
  return fmt::format("{} beyond {:.6g}", has_infinity ? "infinite" : "NaN", largest);
}

std::string ShareWords(const QuantizationGranularity& granularity, const Operand& operand) {
  switch (granularity.kind) {
    case GranularityKind::kUnscaled:
      return {};
    case GranularityKind::kTensor:
      return "for the whole matrix (tensor)";
    case GranularityKind::kChannel:
      return fmt::format("per {} (channel)", operand.channel);
    case GranularityKind::kInput:
      return "per k (input)";
    case GranularityKind::kGroup:
      return fmt::format("per {} consecutive k of {} (group:{})", granularity.rows,
                         operand.a_channel, granularity.rows);
    case GranularityKind::kBlock:
      return fmt::format("per {} consecutive k of {} consecutive {} (block:{}x{})",
                         granularity.rows, granularity.columns, operand.channels, granularity.rows,
                         granularity.columns);
  }
  return {};
}

struct Codes {
  std::int64_t lowest = 0;
  std::int64_t largest = 0;
};

Codes IntegerCodes(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  if (!info.is_signed) return {0, (std::int64_t{1} << info.total_bits) - 1};
  const std::int64_t half = std::int64_t{1} << (info.total_bits - 1);
  const bool is_narrow = spec.zero_point == ZeroPoint::kNone && spec.range == ScaleRange::kNarrow;
  return {is_narrow ? 1 - half : -half, half - 1};
}

// What the range is divided by.
double Divisor(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  if (info.kind == DTypeKind::kFloat) return LargestValue(info);
  if (spec.zero_point != ZeroPoint::kNone) return std::ldexp(1.0, info.total_bits) - 1;
  const double half = std::ldexp(1.0, info.total_bits - 1);
  switch (spec.range) {
    case ScaleRange::kNarrow:
      return half - 1;
    case ScaleRange::kMiddle:
      return half - 0.5;
    case ScaleRange::kFull:
      return half;
  }
  return half;
}

// The range that a scale covers.
std::string RangeWords(const QuantizationSpec& spec, std::string_view element) {
  const bool has_sides = spec.zero_point != ZeroPoint::kNone;
  std::string range =
      has_sides ? fmt::format("max {0} - min {0}", element) : fmt::format("max|{}|", element);
  if (spec.method == RangeMethod::kPercentile) {
    range = has_sides
                ? fmt::format("{} over the central {}% of {}", range, spec.percentile, element)
                : fmt::format("what {}% of |{}| do not exceed", spec.percentile, element);
  }
  if (spec.zero_point == ZeroPoint::kInteger) range += ", 0 counted";
  if (spec.method == RangeMethod::kMse) {
    return fmt::format("(the best of 64 shrunk ranges of {}, by the sum of squared errors)", range);
  }
  const bool is_one_word = !has_sides && spec.method == RangeMethod::kAbsmax;
  return is_one_word ? range : fmt::format("({})", range);
}

std::string ScaleRoundingWords(DType scale_dtype) {
  switch (scale_dtype) {
    case DType::kFloat8E8M0Fnu:
      return "rounded up to a power of two";
    case DType::kFloat8E4M3Fn:
      return "rounded to float8_e4m3fn, 448 at most";
    default:
      return fmt::format("rounded to {}", DTypeName(scale_dtype));
  }
}

std::string CodeWords(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  if (info.kind == DTypeKind::kFloat) return fmt::format("{} codes", info.name);
  const Codes codes = IntegerCodes(spec);
  return fmt::format("{} codes {} to {}", info.name, codes.lowest, codes.largest);
}

// The arithmetic of scales and codes, our own.
std::string ScalingWords(const QuantizationSpec& spec, std::string_view element) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  const std::string range = RangeWords(spec, element);
  std::string words = fmt::format(" Scale = {} / {:.6g}, {}.", range, Divisor(spec),
                                  ScaleRoundingWords(spec.scale_dtype));
  const std::string_view rounding = RoundingWords(spec.rounding);
  if (info.kind == DTypeKind::kFloat) {
    words += fmt::format(" Code = {} / scale, {}, {}; value = code * scale.", element, rounding,
                         OverflowWords(info, spec.overflow));
    words += " A group of zeros keeps scale 1 and codes 0.";
  } else {
    const Codes codes = IntegerCodes(spec);
    switch (spec.zero_point) {
      case ZeroPoint::kNone:
        words += fmt::format(" Code = {} / scale, {}, then clipped; value = code * scale.", element,
                             rounding);
        words += " A group of zeros keeps scale 1 and codes 0.";
        break;
      case ZeroPoint::kInteger:
        words += fmt::format(
            " Zero point = {} - min / scale, rounded to a code. Code = {} / scale, {}, plus the "
            "zero point, then clipped; value = (code - zero point) * scale.",
            codes.lowest, element, rounding);
        words += fmt::format(" A group of zeros keeps scale 1, and zero point and codes {}.",
                             codes.lowest);
        break;
      case ZeroPoint::kFloat:
        words += fmt::format(
            " The minimum is kept in {}. Code = ({} - minimum) / scale, {}, then clipped; value = "
            "code * scale + minimum.",
            DTypeName(spec.scale_dtype), element, rounding);
        words += " A group of equal values keeps scale 1 and codes 0.";
        break;
    }
  }
  if (GetDTypeInfo(spec.scale_dtype).has_zero && spec.zero_point == ZeroPoint::kNone) {
    words += " Where a scale underflows to 0, values are 0.";
  }
  return words;
}

std::string MxScaleWords(MxScaleRule rule, double largest, std::string_view element) {
  const int exponent = std::ilogb(largest);
  switch (rule) {
    case MxScaleRule::kFloor:
      return fmt::format("2^(floor(log2 max|{}|) - {}), as OCP MX 1.0 has it", element, exponent);
    case MxScaleRule::kCeil:
      return fmt::format("2^(ceil(log2 max|{}|) - {})", element, exponent);
    case MxScaleRule::kRceil:
      return fmt::format("2^ceil(log2(max|{}| / {:.6g})), so that nothing saturates", element,
                         largest);
    case MxScaleRule::kNearest:
      return fmt::format("2^(round(log2 max|{}|) - {}), in which 3/2 of a power of two rounds up",
                         element, exponent);
  }
  return {};
}

// How the codes of a block format come about.
std::string BlockWords(const QuantizationSpec& spec, const BlockFormatInfo& info,
                       std::string_view element) {
  const std::string_view rounding = RoundingWords(spec.rounding);
  switch (info.family) {
    case BlockFamily::kMx: {
      const DTypeInfo& code = GetDTypeInfo(*info.element);
      constexpr std::string_view kZeros = " A block of zeros keeps scale 1 and codes 0.";
      if (code.kind == DTypeKind::kInteger) {
        // Codes count 64ths.
        return fmt::format(
            " Scale = {}. Code = 64 * {} / scale, {}, then clipped; value = code / 64 * scale.{}",
            MxScaleWords(spec.rule, std::ldexp(LargestValue(code), -6), element), element, rounding,
            kZeros);
      }
      return fmt::format(
          " Scale = {}. Code = {} / scale, {}, saturating at {:.6g}; value = code * scale.{}",
          MxScaleWords(spec.rule, LargestValue(code), element), element, rounding,
          LargestValue(code), kZeros);
    }
    case BlockFamily::kNvFp4:
      return fmt::format(
          " The tensor's scale is max|{0}| / (6 * 448), or 1 for zeros; a block's is max|{0}| / 6 "
          "/ "
          "the tensor's, rounded to float8_e4m3fn, 448 at most. Code = {0} / (block's * tensor's "
          "scale), {1}, saturating at 6; value = code * that product. Where a block's scale is 0, "
          "values are 0.",
          element, rounding);
    case BlockFamily::kGgml:
      return fmt::format(" Scales and codes are those of ggml's quantize_row_{}_ref.", info.name);
  }
  return {};
}

std::string_view EvidenceWords(Evidence evidence) {
  switch (evidence) {
    case Evidence::kRun:
      return "the package was run and its answers are reproduced";
    case Evidence::kSource:
      return "read in its source, not run";
    case Evidence::kDocumentation:
      return "from its documentation only";
  }
  return {};
}

std::string ConventionWords(const Convention& convention) {
  return fmt::format(" As {} has it ({}; {}): {}", convention.package, ConventionName(convention),
                     EvidenceWords(convention.evidence), convention.words);
}

std::string_view ScaleUseWords(ScaleUse use) {
  switch (use) {
    case ScaleUse::kDefault:
      return {};
    case ScaleUse::kBefore:
      return " It is dequantised before the product.";
    case ScaleUse::kAfter:
      return " Its codes enter the product, and the sum of each group is scaled.";
  }
  return {};
}

// A spec as a policy uses it: the words then say where its scales enter.
QuantizationSpec WithScaleUse(QuantizationSpec spec, const AccumulationSpec& accumulation) {
  if (MultipliesCodes(spec, accumulation)) spec.scale_use = ScaleUse::kAfter;
  return spec;
}

std::string ExplainCast(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  constexpr int kBitsOfWide = 32;
  return fmt::format("{} without a scale; {}{}, {}.", info.name,
                     info.total_bits >= kBitsOfWide ? "wider values are " : "",
                     RoundingWords(spec.rounding), OverflowWords(info, spec.overflow));
}

std::string Explain(const QuantizationSpec& spec, const Operand& operand) {
  std::string words;
  if (spec.block_format) {
    const BlockFormatInfo& info = GetBlockFormatInfo(*spec.block_format);
    words = fmt::format(
        "{}: blocks of {} consecutive k of {}, with codes of {} bits and a {} "
        "{} each.",
        info.name, info.block_size, operand.a_channel, info.element_bits,
        DTypeName(info.scale_dtype), info.scales_per_block == 2 ? "scale and minimum" : "scale");
    words += spec.convention != nullptr ? ConventionWords(*spec.convention)
                                        : BlockWords(spec, info, operand.element);
  } else if (spec.granularity.kind == GranularityKind::kUnscaled) {
    return ExplainCast(spec);
  } else if (spec.convention != nullptr) {
    words = fmt::format("{} codes, one {} scale {}.", DTypeName(spec.dtype),
                        DTypeName(spec.scale_dtype), ShareWords(spec.granularity, operand));
    words += ConventionWords(*spec.convention);
  } else {
    words = fmt::format("{}, one {} scale {}.", CodeWords(spec), DTypeName(spec.scale_dtype),
                        ShareWords(spec.granularity, operand));
    words += ScalingWords(spec, operand.element);
  }
  words += ScaleUseWords(spec.scale_use);
  return words;
}

std::string_view SumTypeWord(const SumType& type) {
  switch (type.kind) {
    case SumKind::kFloat:
      return DTypeName(type.dtype);
    case SumKind::kE8M13:
      return "13 mantissa bits (e8m13, cut)";
    case SumKind::kInt32:
      return "int32";
  }
  NG_CHECK(false);
}

// How products are added, in words that follow "Accumulates in TYPE".
std::string InnerWords(const AccumulationSpec& spec) {
  const std::string_view rounded = spec.separate ? ", products rounded first" : "";
  switch (spec.order) {
    case SumOrder::kSequential:
      return fmt::format("one product after another{}", rounded);
    case SumOrder::kPairwise:
      return fmt::format("in a tree of halves{}", rounded);
    case SumOrder::kAligned:
      return fmt::format(
          "{} products at a time, each cut to {} bits below the largest exponent of its group{}",
          spec.group, spec.bits,
          spec.promote == 0
              ? ""
              : fmt::format(", into float32 and anew after every {} k", spec.promote));
  }
  NG_CHECK(false);
}

std::string HardwareWords(const AccumulationSpec& spec, const HardwarePath* path) {
  std::string words =
      fmt::format("Accumulates as {}: {}.", spec.hardware->name, spec.hardware->summary);
  if (path == nullptr) return words;
  return words + fmt::format(" Its model for {}{} is {} ({}).", DTypeName(path->x),
                             path->x == path->w ? "" : fmt::format(" with {}", DTypeName(path->w)),
                             HardwareEvidenceWords(path->evidence), path->source);
}

std::string IntegerWords(IntegerOverflow overflow) {
  constexpr std::string_view kSum = "Adds the products of codes as integers";
  switch (overflow) {
    case IntegerOverflow::kExact:
      return fmt::format("{}, exactly.", kSum);
    case IntegerOverflow::kWrap:
      return fmt::format("{}, modulo 2^32.", kSum);
    case IntegerOverflow::kSaturate16:
      return fmt::format(
          "{}; each two neighbours are clipped to 16 bits, their sums added modulo "
          "2^32.",
          kSum);
  }
  NG_CHECK(false);
}

std::string PassWords(const AccumulationSpec& spec) {
  if (spec.passes == 1) return {};
  return fmt::format(
      " So in {} passes over parts of the factors, each {} to {}; the passes are added in float32, "
      "the least first.",
      spec.passes, spec.splits_to_nearest ? "rounded" : "cut", DTypeName(spec.parts));
}

std::string FloatWords(const AccumulationSpec& spec) {
  std::string words;
  const SumType inner = spec.inner.value_or(spec.type);
  if (spec.block == 0) {
    words = fmt::format("Accumulates in {}, {}", SumTypeWord(inner), InnerWords(spec));
  } else {
    words = fmt::format(
        "Accumulates in {} inside blocks of {} consecutive k, each begun at zero, {}, and in {} "
        "between blocks, {}{}",
        SumTypeWord(inner), spec.block, InnerWords(spec), SumTypeWord(spec.type),
        spec.block_order == SumOrder::kPairwise ? "in a tree of halves" : "one after another",
        spec.rounds_block_sums ? ", block sums rounded to it first" : "");
  }
  if (spec.slices != 1) {
    words +=
        fmt::format("; so in each of {} slices of k, whose sums are rounded to {} and added in {}",
                    spec.slices, SumTypeWord(spec.partial.value_or(spec.type)),
                    SumTypeWord(spec.reduce.value_or(spec.type)));
  }
  return words + ".";
}

std::string ExplainAccumulation(const PrecisionPolicy& policy) {
  const AccumulationSpec& spec = policy.accumulation;
  const Factors factors = FactorsOf(policy);
  const std::string words = spec.hardware != nullptr
                                ? HardwareWords(spec, PathFor(spec, factors.x, factors.w))
                            : spec.type.kind == SumKind::kInt32 ? IntegerWords(spec.overflow)
                                                                : FloatWords(spec);
  return words + PassWords(spec);
}

// The names under which frameworks can be asked for a policy's product, if there are any.
std::string DotAlgorithmWords(const PrecisionPolicy& policy) {
  const std::vector<std::string> names = DotAlgorithmsOf(policy);
  if (names.empty()) return {};
  return fmt::format(" As a dot algorithm: {}{}.", names.size() > 1 ? "one of " : "",
                     fmt::join(names, ", "));
}

}  // namespace

std::string ExplainSpec(const QuantizationSpec& spec) { return Explain(spec, kWeights); }

std::string ExplainPolicy(const PrecisionPolicy& policy) {
  const DTypeInfo& sum = GetDTypeInfo(OwnOutput(policy.accumulation));
  const DTypeInfo& output = GetDTypeInfo(policy.output);
  const bool is_exact =
      output.mantissa_bits >= sum.mantissa_bits && output.exponent_bits >= sum.exponent_bits;
  return fmt::format("Weights: {} Activations: {} {} Returns {}{}.{}",
                     Explain(WithScaleUse(policy.weights, policy.accumulation), kWeights),
                     Explain(WithScaleUse(policy.activations, policy.accumulation), kActivations),
                     ExplainAccumulation(policy), output.name, is_exact ? "" : ", rounded once",
                     DotAlgorithmWords(policy));
}

}  // namespace narrowgauge
