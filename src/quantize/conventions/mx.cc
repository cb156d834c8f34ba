#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "src/quantize/conventions/element.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

constexpr int kBias = 127;
constexpr int kNanCode = 255;
constexpr int kLargestFloat32Exponent = 127;
constexpr int kFloat32MantissaBits = 23;

// An exponent, or that of zero or infinity.
enum class ExponentKind : std::uint8_t { kFinite, kZero, kInfinite };

struct Exponent {
  ExponentKind kind = ExponentKind::kFinite;
  int value = 0;
};

// The field of a float32 less its bias, which is -127 for subnormals and 128 for infinity.
int ExponentField(float value) {
  return static_cast<int>(std::bit_cast<std::uint32_t>(value) >> kFloat32MantissaBits & 0xFFU) -
         kBias;
}

bool HasMantissa(float value) { return (std::bit_cast<std::uint32_t>(value) & 0x7FFFFFU) != 0; }

// log2, rounded to float32 from a float64 that is exact but for its last bits.
float Log2(float value) { return static_cast<float>(std::log2(static_cast<double>(value))); }

// log2 as XLA's CPU compiler has it: log(value) / log(2), each rounded to the step's type, and the
// division a product with the rounded reciprocal. Which integer it rounds up to depends on how near
// it is to one, where XLA's logarithm is exact.
float Log2ByLn(float value, const Step& step) {
  const float ln = step(static_cast<float>(std::log(static_cast<double>(value))));
  const float ln2 = step(0.693147180559945309F);
  return DivideMeasure(ln, ln2, ScaleQuotient::kXla, false, step);
}

// Of an exponent that is an integer or infinite.
Exponent FromFloat(float exponent) {
  if (std::isinf(exponent)) {
    return {exponent > 0 ? ExponentKind::kInfinite : ExponentKind::kZero, 0};
  }
  return {ExponentKind::kFinite, static_cast<int>(exponent)};
}

// Adds half a unit of a mantissa of so many bits to the bits of a positive value in a type, and
// clears the mantissa. A carry out of the largest finite exponent leads to infinity; so do NaN's
// bits. Subnormals become 0 or the smallest normal.
float AddHalfUnit(float value, int mantissa_bits, DType type) {
  const DTypeInfo& info = GetDTypeInfo(type);
  const std::uint64_t half = std::uint64_t{1} << (info.mantissa_bits - mantissa_bits - 1);
  const std::uint64_t sum = EncodeFloat32(info, value) + half;
  return DecodeFloat32(info, sum >> info.mantissa_bits << info.mantissa_bits);
}

// The exponent of the scale of a block whose largest magnitude is `absmax` > 0.
Exponent ExponentOf(const MxRecipe& recipe, float absmax, const ElementFormat& format, bool is_only,
                    const Step& step) {
  const int largest_exponent = format.LargestExponent();
  const float ratio = ReplaceSmallScale(
      recipe.small_scale,
      DivideMeasure(absmax, format.Largest(), recipe.scale_quotient, is_only, step), step.Type());
  switch (recipe.exponent) {
    case MxExponent::kFloorBits:
      return {ExponentKind::kFinite, ExponentField(absmax) - largest_exponent};
    case MxExponent::kCeilBits:
      return {ExponentKind::kFinite,
              ExponentField(absmax) + (HasMantissa(absmax) ? 1 : 0) - largest_exponent};
    case MxExponent::kEvenBits:
      return {ExponentKind::kFinite,
              ExponentField(AddHalfUnit(absmax, recipe.even_mantissa_bits, DType::kFloat32)) -
                  largest_exponent};
    case MxExponent::kEvenBitsOrInfinity: {
      const float sum = AddHalfUnit(absmax, recipe.even_mantissa_bits, step.Type());
      if (std::isinf(sum)) return {ExponentKind::kInfinite, 0};
      if (sum == 0.0F) return {ExponentKind::kZero, 0};
      return {ExponentKind::kFinite, ExponentField(sum) - largest_exponent};
    }
    case MxExponent::kFloorLog2: {
      const Exponent exponent = FromFloat(std::floor(Log2(absmax)));
      return {exponent.kind, exponent.value - largest_exponent};
    }
    case MxExponent::kCeilRatioBits:
      if (!std::isfinite(ratio)) return FromFloat(ratio);
      if (ratio == 0.0F) return {ExponentKind::kZero, 0};
      {
        int exponent = 0;
        const float fraction = std::frexp(ratio, &exponent);  // In [1/2, 1), also of subnormals.
        return {ExponentKind::kFinite, fraction == 0.5F ? exponent - 1 : exponent};
      }
    case MxExponent::kCeilRatioLog2:
      return FromFloat(std::ceil(Log2(ratio)));
    case MxExponent::kCeilRatioLn:
      return FromFloat(std::ceil(Log2ByLn(ratio, step)));
  }
  return {};
}

struct BlockScaleOfMx {
  int code = 0;       // -1 where there is none.
  float coding = 1;   // What codes are found with,
  float reading = 1;  // and values are read back with, or half of that for MxCode255::kTwice127.
};

float PowerOfTwo(int exponent) { return std::ldexp(1.0F, exponent); }

float ReadCode(const MxRecipe& recipe, int code) {
  if (recipe.code_255 == MxCode255::kTwice127) return PowerOfTwo(code - kBias - 1);
  if (code != kNanCode) return PowerOfTwo(code - kBias);
  return recipe.code_255 == MxCode255::kNan ? std::numeric_limits<float>::quiet_NaN()
                                            : std::numeric_limits<float>::infinity();
}

BlockScaleOfMx FromCode(const MxRecipe& recipe, int code) {
  const float scale = ReadCode(recipe, code);
  // The code's bits as a float32's exponent are infinity.
  const bool by_bits = recipe.quotient == MxQuotient::kDivideBySmallestNormal;
  return {code, by_bits && code == kNanCode ? std::numeric_limits<float>::infinity() : scale,
          scale};
}

BlockScaleOfMx FromExponent(const MxRecipe& recipe, Exponent exponent) {
  // Too large for every rule below.
  constexpr int kFar = 1 << 12;
  if (exponent.kind == ExponentKind::kInfinite) exponent.value = kFar;
  const int code = exponent.value + kBias;
  switch (recipe.range) {
    case MxRange::kTo127:
      return FromCode(recipe, std::clamp(code, 0, kNanCode - 1));
    case MxRange::kTo128:
      return FromCode(recipe, std::clamp(code, 0, kNanCode));
    case MxRange::kWraps:
      return {code & 0xFF, PowerOfTwo(exponent.value), ReadCode(recipe, code & 0xFF)};
    case MxRange::kWrapsAtOnce:
      return FromCode(recipe, code & 0xFF);
    case MxRange::kNanAbove:
      if (exponent.value > kLargestFloat32Exponent) {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        return {kNanCode, nan, nan};
      }
      return FromCode(recipe, std::max(code, 0));
    case MxRange::kNoCode:
      break;
  }
  const float scale = exponent.kind == ExponentKind::kInfinite
                          ? std::numeric_limits<float>::infinity()
                          : PowerOfTwo(exponent.value);
  return {code >= 0 && code < kNanCode ? code : -1, scale, scale};
}

BlockScaleOfMx ScaleOf(const MxRecipe& recipe, float absmax, const ElementFormat& format,
                       bool is_only, const Step& step) {
  if (std::isnan(absmax) && recipe.exponent != MxExponent::kEvenBitsOrInfinity) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    switch (recipe.nan_block) {
      case MxNanBlock::kCode255:
        return recipe.range == MxRange::kNanAbove ? BlockScaleOfMx{kNanCode, nan, nan}
                                                  : FromCode(recipe, kNanCode);
      case MxNanBlock::kCode0:
        return FromCode(recipe, 0);
      case MxNanBlock::kNoMatter:
        return {-1, nan, nan};
    }
  }
  if (absmax == 0.0F && recipe.zero_block == MxZeroBlock::kSmallestNormal) {
    absmax = std::numeric_limits<float>::min();
  }
  const Exponent exponent = absmax == 0.0F ? Exponent{ExponentKind::kZero, 0}
                                           : ExponentOf(recipe, absmax, format, is_only, step);
  if (exponent.kind == ExponentKind::kZero) {
    return FromCode(recipe, recipe.zero_block == MxZeroBlock::kOne ? kBias : 0);
  }
  return FromExponent(recipe, exponent);
}

class MxCoder {
 public:
  MxCoder(const MxRecipe& recipe, const ElementFormat& format, const BlockScaleOfMx& scale,
          const Step& step)
      : recipe_(recipe), format_(format), divisor_(scale.coding), step_(step) {
    if (recipe.quotient == MxQuotient::kDivideBySmallestNormal) {
      divisor_ = std::max(divisor_, std::numeric_limits<float>::min());
    }
    factor_ = scale.code == 0 ? 1.0F : PowerOfTwo(kBias - scale.code);
    if (scale.code == kNanCode) factor_ = scale.reading;
  }

  [[nodiscard]] ElementFormat::Coded Code(float element) const {
    const float x = step_(element);
    switch (recipe_.quotient) {
      case MxQuotient::kDivide:
      case MxQuotient::kDivideBySmallestNormal:
        return Rounded(step_(x / divisor_));
      case MxQuotient::kMultiplyOrKeep:
        return Rounded(step_(x * factor_));
      case MxQuotient::kNearestProduct:
        return format_.Nearest(x, 2.0F, divisor_);
      case MxQuotient::kNearestQuotient:
        return format_.Nearest(step_(x / divisor_), 1.0F, 1.0F);
    }
    return {};
  }

 private:
  [[nodiscard]] ElementFormat::Coded Rounded(float q) const {
    constexpr int kNegativeZero = 8;
    return format_.Round(q, recipe_.ties, recipe_.sign, kNegativeZero);
  }

  const MxRecipe& recipe_;
  const ElementFormat& format_;
  float divisor_;
  float factor_ = 1;
  Step step_;
};

}  // namespace

Result<void> QuantizeGroup(const MxRecipe& recipe, const GroupInput& input, QuantizedGroup& group) {
  const ElementFormat& format = GetElementFormat(recipe.element);
  const Step step(recipe.step, input.weights, recipe.subnormals);
  const Step value_step(StepType::kWeights, input.weights, recipe.subnormals);
  const float absmax = ScaleRangeOf(input, recipe.subnormals).Absmax();
  BlockScaleOfMx scale = ScaleOf(recipe, absmax, format, input.has_only_scale, step);
  if (recipe.scale_as_weights) {
    const float rounded = RoundTo(value_step.Type(), scale.reading);
    scale.coding = scale.reading = rounded == 0.0F ? 1.0F : rounded;
  }
  const MxCoder coder(recipe, format, scale, step);
  Prepare(group, input.elements.size());
  const float factor = recipe.code_255 == MxCode255::kTwice127 ? 2.0F : 1.0F;
  group.scale = static_cast<double>(factor) * static_cast<double>(scale.reading);
  group.scale_code = scale.code;
  for (std::size_t i = 0; i < input.elements.size(); ++i) {
    const ElementFormat::Coded coded = coder.Code(input.elements[i]);
    if (coded.saturated) group.saturated.Note(static_cast<std::int64_t>(i));
    group.codes[i] = coded.code;
    group.values[i] = value_step((factor * coded.value) * scale.reading);
  }
  return {};
}

}  // namespace narrowgauge::internal
