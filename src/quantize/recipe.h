#ifndef NARROWGAUGE_QUANTIZE_RECIPE_H_
#define NARROWGAUGE_QUANTIZE_RECIPE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <variant>

#include "narrowgauge/block_format.h"
#include "narrowgauge/convention.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/numerics_profile.h"

// The arithmetic of a quantisation scheme as data: every choice in which packages differ is a field
// of one of the five recipes below, and conventions/FAMILY.cc does what it says. In the formulas x
// is an element, s a scale, q a code, z a zero point. Each operation is rounded once, to the type
// of its step.

namespace narrowgauge::internal {

// The type of a step. The weights' own type counts where it is bfloat16 or float16; all other
// weights are computed with as float32.
enum class StepType : std::uint8_t { kFloat32, kWeights };

// What the size of a group is.
enum class Measure : std::uint8_t {
  kAbsmax,                // max |x|
  kWidthWithZero,         // max x - min x, with 0 counted among the elements.
  kSignedExtremeFirst,    // The x of largest magnitude; the first of several.
  kSignedExtremeMinimum,  // The x of largest magnitude; of two with either sign, the negative one.
  kSides,                 // The larger of min / lowest code and max / largest code, 0 counted.
  kDeviation,             // The standard deviation, in numpy's order of summation.
};

// What a scale that is too small becomes. Epsilon is the distance from 1 to the next value.
enum class SmallScale : std::uint8_t {
  kKept,
  kOneIfZero,
  kOneBelowSmallestNormal,        // And the zero point becomes 0. In float16: if it rounds to 0.
  kOneBelowRootOfSmallestNormal,  // Below the square root of the smallest normal.
  kFloat32EpsilonAtLeast,
  kSmallestNormalAtLeast,
  kEpsilonIfZero,
};

// When a scale is rounded to the type in which it is stored. Zero points are found before that.
enum class ScaleRounding : std::uint8_t {
  kBeforeCodes,  // Codes are found with the scale as it is stored,
  kAfterCodes,   // or with the one it was rounded from.
};

// How a measure is divided by its constant divisor.
enum class ScaleQuotient : std::uint8_t {
  kDivide,      // One IEEE division.
  kXla,         // XLA's compiler makes it a product with the reciprocal, rounded to float32 (to
                // float16 for such weights), unless the array has a single scale.
  kXlaFloat32,  // The same, always with the reciprocal in float32.
};

// How x is divided by s.
enum class CodeQuotient : std::uint8_t {
  kDivide,      // One IEEE division.
  kReciprocal,  // x * (1 / s), both rounded.
  kXla,         // XLA's compiler makes x / s the same if s is that of several elements, but for
                // bfloat16, where it divides.
};

// What is stored: the scale, measure / divisor, with values code * scale, or its reciprocal, with
// values code / reciprocal. The reciprocal is found as torch finds "divisor / measure": the rounded
// 1 / measure, times divisor.
enum class StoredScale : std::uint8_t { kMultiplier, kReciprocal };

// 1 / s where it is not finite.
enum class InfiniteReciprocal : std::uint8_t {
  kKept,
  kZeroOfZero,  // 0 for s = 0.
  kOne,         // 1 for every infinite one.
};

enum class ZeroPointRule : std::uint8_t {
  kNone,
  kConstant,            // The recipe's zero_point.
  kRoundedDifference,   // round(lowest - min / s), 0 counted among the elements.
  kDifferenceOfRounded  // lowest - round(min / s), 0 counted among the elements.
};

// Which scale the zero point is found with.
enum class ZeroPointScale : std::uint8_t {
  kReplaced,  // The one after SmallScale,
  kRaw,       // or before it.
};

enum class Ties : std::uint8_t {
  kEven,
  kAway,
  kUp,  // trunc(q + 1/2), for q that are not negative.
};

enum class ZeroPointAdded : std::uint8_t { kBeforeRounding, kAfterRounding };
enum class Clip : std::uint8_t { kBeforeRounding, kAfterRounding };

// What the code of a NaN is.
enum class NanCode : std::uint8_t { kZero, kLowest, kNone };

// kFloat: codes are kept as floats on the grid, so that -0 stays one.
enum class CodeType : std::uint8_t { kInteger, kFloat };

// Input that the package does not take.
enum class Refusal : std::uint8_t { kNothing, kNanScale, kNanCode };

// Integer codes:  s = measure / divisor,  q = clip(round(x / s + z)),  value = (q - z) * s.
struct IntegerRecipe {
  int lowest = -128;
  int largest = 127;
  Measure measure = Measure::kAbsmax;
  double divisor = 127;
  ScaleQuotient scale_quotient = ScaleQuotient::kDivide;
  double measure_if_zero = 0;  // What a measure of 0 is taken for.
  SmallScale small_scale = SmallScale::kKept;
  StoredScale stored_scale = StoredScale::kMultiplier;
  StepType scale_step = StepType::kWeights;  // In which the scale is found,
  bool scale_in_float64 = false;             // unless it is float64.
  std::optional<DType> scale_dtype = {};     // As stored; none: the weights'.
  ScaleRounding scale_rounding = ScaleRounding::kBeforeCodes;
  ZeroPointRule zero_point_rule = ZeroPointRule::kNone;
  ZeroPointScale zero_point_scale = ZeroPointScale::kReplaced;
  Ties zero_point_ties = Ties::kEven;
  int zero_point = 0;
  StepType code_step = StepType::kWeights;
  CodeQuotient quotient = CodeQuotient::kDivide;
  InfiniteReciprocal infinite_reciprocal = InfiniteReciprocal::kKept;
  ZeroPointAdded zero_point_added = ZeroPointAdded::kAfterRounding;
  Ties ties = Ties::kEven;
  Clip clip = Clip::kAfterRounding;
  NanCode nan_code = NanCode::kZero;
  CodeType code_type = CodeType::kInteger;
  Subnormals subnormals = Subnormals::kKept;
  Refusal refusal = Refusal::kNothing;
};

// How the scale and the float that is code 0 (or the middle one) come from min and max.
enum class AffineFit : std::uint8_t {
  kMinimum,  // s = width / divisor; code 0 is min.
  kMiddle,   // The same; code 2^(b-1) is z = min + 2^(b-1) * s, and code 0 is z - 2^(b-1) * s.
  kEdge,     // s = max(width / divisor, 1e-7), negative if max has the larger magnitude or both
             // have the same; with e the one of larger magnitude and n = round(e / s) not 0:
             // s = e / n and code 0 is e; else code 0 is 0.
};

// Integer codes with a float origin:  q = clip(round((x - origin) / s)),  value = q * s + origin.
// 0 is not counted among the elements.
struct AffineRecipe {
  int largest = 15;  // The lowest code is 0.
  AffineFit fit = AffineFit::kMinimum;
  double divisor = 15;
  SmallScale small_scale = SmallScale::kKept;
  StepType step = StepType::kFloat32;     // Of scale, origin and codes.
  std::optional<DType> scale_dtype = {};  // Of scale and origin, as stored; none: the weights'.
  ScaleRounding scale_rounding = ScaleRounding::kAfterCodes;
  CodeQuotient quotient = CodeQuotient::kDivide;
  InfiniteReciprocal infinite_reciprocal = InfiniteReciprocal::kKept;
  Ties ties = Ties::kEven;
};

// Float codes with a float scale:  s = measure / divisor,  q = round(clip(x / s)),  value = q * s.
// Values beyond the largest saturate, NaN stays NaN.
struct FloatRecipe {
  DType element = DType::kFloat8E4M3Fn;
  Measure measure = Measure::kAbsmax;
  double divisor = 448;  // Unused with kDeviation: that of all finite codes.
  ScaleQuotient scale_quotient = ScaleQuotient::kDivide;
  std::optional<double> measure_to_one = {};  // A measure up to this one is taken for 1.
  SmallScale small_scale = SmallScale::kKept;
  StoredScale stored_scale = StoredScale::kMultiplier;
  StepType scale_step = StepType::kWeights;
  std::optional<DType> scale_dtype = {};
  StepType code_step = StepType::kWeights;
  CodeQuotient quotient = CodeQuotient::kDivide;
  InfiniteReciprocal infinite_reciprocal = InfiniteReciprocal::kKept;
  bool adds_zero = false;  // q + 0 is rounded: -0 becomes +0.
  Subnormals subnormals = Subnormals::kKept;
  Refusal refusal = Refusal::kNothing;
};

// How the exponent of a block comes from its largest magnitude a. M is the element's largest value,
// emax the exponent of M.
enum class MxExponent : std::uint8_t {
  kFloorBits,           // floor(log2 a) - emax, from a's exponent bits.
  kCeilBits,            // ceil(log2 a) - emax, from its bits.
  kEvenBits,            // kFloorBits of a + half a unit of a mantissa of even_mantissa_bits.
  kEvenBitsOrInfinity,  // The same, and infinite if the sum or a is, or a is NaN.
  kFloorLog2,           // floor(float32(log2 a)) - emax: one more just below large powers of two.
  kCeilRatioBits,       // ceil(log2 r) of r = float32(a / M), from its bits.
  kCeilRatioLog2,       // ceil(float32(log2 r)): one less just above, or one more.
  kCeilRatioLn,  // ceil(log(r) * (1 / log(2))) in float32: one more for some powers of two, too.
};

// What a block of zeros stores, or one whose a / M rounds to 0.
enum class MxZeroBlock : std::uint8_t {
  kLowestCode,      // 2^-127.
  kOne,             // The code of 1.
  kSmallestNormal,  // As if its largest magnitude were 2^-126.
};

// What becomes of exponents that the scale cannot hold.
enum class MxRange : std::uint8_t {
  kTo127,        // Codes 0 to 254.
  kTo128,        // Codes 0 to 255, the last one being 2^128.
  kWraps,        // The code is taken modulo 256, its value unchanged until values are read back.
  kWrapsAtOnce,  // The same, and codes are found with the wrapped scale.
  kNanAbove,     // Above 127 the whole block is NaN.
  kNoCode,       // The scale is a float: no limit, NaN and infinity included.
};

// What a largest magnitude of NaN stores.
enum class MxNanBlock : std::uint8_t { kCode255, kCode0, kNoMatter };

// What code 255 means to who reads values back.
enum class MxCode255 : std::uint8_t {
  kNan,
  kInfinity,
  kTwice127,  // 2^128: values are (2 * element) * 2^127, and all codes are read in that way.
};

enum class MxQuotient : std::uint8_t {
  kDivide,                  // x / s, s down to 2^-127.
  kDivideBySmallestNormal,  // x / max(s, 2^-126).
  kMultiplyOrKeep,          // x * 2^-e, and x itself at code 0.
  kNearestProduct,          // The code with least |(2 * q) * (s / 2) - x|, the first of several.
  kNearestQuotient,         // The code with least |q - x / s|, the first of several.
};

enum class ElementTies : std::uint8_t { kEven, kAway, kTowardZero };

enum class ElementSign : std::uint8_t {
  kOfElement,
  kOfElementPlusZero,       // That of x / s + 0: an exact -0 becomes +0.
  kNegativeUnlessPositive,  // An exact zero becomes -0.
  kNegativeIfLess,          // An exact zero becomes +0, also -0.
};

// A power of two per block of `block` elements, with an element format.
struct MxRecipe {
  DType element = DType::kFloat4E2M1Fn;  // kInt8 stands for MXINT8: codes are multiples of 1/64.
  MxExponent exponent = MxExponent::kFloorBits;
  int even_mantissa_bits = 0;
  StepType step = StepType::kFloat32;                     // Of a / M and of x / s.
  ScaleQuotient scale_quotient = ScaleQuotient::kDivide;  // Of a / M.
  bool scale_as_weights = false;  // The scale is rounded to the weights' type; 0 becomes 1.
  MxZeroBlock zero_block = MxZeroBlock::kLowestCode;
  SmallScale small_scale = SmallScale::kKept;  // Of a / M, before the power of two is taken.
  MxRange range = MxRange::kTo127;
  MxNanBlock nan_block = MxNanBlock::kCode255;
  MxCode255 code_255 = MxCode255::kNan;
  MxQuotient quotient = MxQuotient::kDivide;
  ElementTies ties = ElementTies::kEven;
  ElementSign sign = ElementSign::kOfElement;
  Subnormals subnormals = Subnormals::kKept;
};

// The scale of the whole tensor.
enum class TensorScale : std::uint8_t {
  kNone,
  kMultiplier,  // G = max |x| / 2688: the value is code * block scale * G.
  kDivisor,     // G = 2688 * (1 / max |x|): the value is code * (block scale / G). 1 where not
                // finite; max |x| is at least the smallest normal.
};

// The block's scale before it is rounded to float8_e4m3fn; b is the block's max |x|.
enum class BlockScale : std::uint8_t {
  kSixth,               // b / 6
  kSixthTimesTensor,    // G * (b / 6)
  kSixthOverTensor,     // (b / 6) / G
  kOverSixTimesTensor,  // b / (6 * G)
};

enum class NvFp4Quotient : std::uint8_t {
  kXla,                       // x / sb as CodeQuotient::kXla has it.
  kTimesReciprocal,           // x * (1 / sb)
  kDivideByProduct,           // x / (sb * G)
  kDivideByRatio,             // x / (sb / G)
  kTimesReciprocalOverBlock,  // x * ((1 / G) / sb)
  kNearest,                   // x / sb and the code with least |q - x / sb|, the first of several.
};

// What a block scale of NaN is rounded to.
enum class NanBlockScale : std::uint8_t { kNan, kLargest };

// What code 8 is read back as.
enum class MinusZero : std::uint8_t { kKept, kReadAsZero };

// NVFP4: float8_e4m3fn scales of blocks of 16 float4_e2m1fn codes.
struct NvFp4Recipe {
  TensorScale tensor_scale = TensorScale::kNone;
  BlockScale block_scale = BlockScale::kSixth;
  StepType scale_step = StepType::kFloat32;               // Of b / 6 and G.
  ScaleQuotient scale_quotient = ScaleQuotient::kDivide;  // Of b / 6.
  StepType code_step = StepType::kFloat32;
  SmallScale small_scale = SmallScale::kKept;
  double zero_before_cast = 0;    // What a block scale of 0 becomes before it is rounded,
  double zero_after_cast = 0;     // and what one that rounded to 0 becomes.
  double lowest_block_scale = 0;  // Smaller ones are raised to it.
  NvFp4Quotient quotient = NvFp4Quotient::kXla;
  ElementSign sign = ElementSign::kOfElement;
  int nan_code = 8;
  NanBlockScale nan_block_scale = NanBlockScale::kNan;
  MinusZero minus_zero = MinusZero::kKept;
  StepType value_step = StepType::kWeights;
  Subnormals subnormals = Subnormals::kKept;
};

// K that is no multiple of the group.
enum class Remainder : std::uint8_t {
  kRefused,
  kShort,  // The last group is short, or filled up with zeros, which changes no code of the others.
};

// Who may share a scale. Block formats and formats with groups of a fixed size have kGroups only.
struct Sharing {
  bool tensor = false;
  bool channel = false;
  bool group = false;
};

inline constexpr Sharing kTensorOnly = {.tensor = true};
inline constexpr Sharing kTensorOrChannel = {.tensor = true, .channel = true};
inline constexpr Sharing kChannelOrGroup = {.channel = true, .group = true};
inline constexpr Sharing kAllSharing = {.tensor = true, .channel = true, .group = true};
inline constexpr Sharing kGroupOnly = {.group = true};

struct QuantizationRecipe {
  DType dtype = DType::kInt8;             // Of the spec that asks for the scheme,
  std::optional<BlockFormat> block = {};  // unless it is a block format.
  Sharing sharing = {};
  std::int64_t group = 0;                        // The package's default, or the block's size.
  std::array<std::int64_t, 6> group_sizes = {};  // The only ones there are, then 0; or any.
  Remainder remainder = Remainder::kRefused;
  bool takes_float16 = true;  // Weights that are stored as float16.
  std::variant<IntegerRecipe, AffineRecipe, FloatRecipe, MxRecipe, NvFp4Recipe> arithmetic;
};

// Returns the recipe of a row of AllConventions().
[[nodiscard]] const QuantizationRecipe& RecipeOf(const Convention& convention);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_RECIPE_H_
