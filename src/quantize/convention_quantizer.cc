#include "src/quantize/convention_quantizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "narrowgauge/convention.h"
#include "src/base/check.h"
#include "src/quantize/channel_loop.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/conventions/step.h"
#include "src/quantize/recipe.h"

namespace narrowgauge::internal {
namespace {

template <typename Recipe>
bool Has(const QuantizationRecipe& recipe) {
  return std::holds_alternative<Recipe>(recipe.arithmetic);
}

Subnormals SubnormalsOf(const QuantizationRecipe& recipe) {
  return std::visit(
      [](const auto& arithmetic) {
        if constexpr (requires { arithmetic.subnormals; }) return arithmetic.subnormals;
        return Subnormals::kKept;
      },
      recipe.arithmetic);
}

bool NeedsTensorAbsmax(const QuantizationRecipe& recipe) {
  const auto* nvfp4 = std::get_if<NvFp4Recipe>(&recipe.arithmetic);
  return nvfp4 != nullptr && nvfp4->tensor_scale != TensorScale::kNone;
}

bool NeedsDeviation(const QuantizationRecipe& recipe) {
  const auto* floats = std::get_if<FloatRecipe>(&recipe.arithmetic);
  return floats != nullptr && floats->measure == Measure::kDeviation;
}

bool MayRefuseWeights(const QuantizationRecipe& recipe) {
  const auto* floats = std::get_if<FloatRecipe>(&recipe.arithmetic);
  return floats != nullptr && floats->refusal != Refusal::kNothing;
}

// The type whose subnormals a scale may be; none for powers of two that are stored as such.
std::optional<DType> ScaleTypeOf(const QuantizationRecipe& recipe, DType weights) {
  const DType own = TypeOfStep(StepType::kWeights, weights);
  if (Has<NvFp4Recipe>(recipe)) return DType::kFloat8E4M3Fn;
  if (const auto* mx = std::get_if<MxRecipe>(&recipe.arithmetic)) {
    return mx->range == MxRange::kNoCode ? std::optional(own) : std::nullopt;
  }
  if (const auto* affine = std::get_if<AffineRecipe>(&recipe.arithmetic)) {
    return affine->scale_dtype.value_or(own);
  }
  if (const auto* floats = std::get_if<FloatRecipe>(&recipe.arithmetic)) {
    return floats->scale_dtype.value_or(own);
  }
  const auto& integers = std::get<IntegerRecipe>(recipe.arithmetic);
  return integers.scale_dtype.value_or(own);
}

bool IsSubnormal(double scale, std::optional<DType> dtype) {
  return dtype && scale != 0 &&
         std::fabs(scale) < std::ldexp(1.0, 1 - GetDTypeInfo(*dtype).exponent_bias);
}

std::string_view FormatName(std::optional<BlockFormat> block, DType dtype) {
  return block ? GetBlockFormatInfo(*block).name : DTypeName(dtype);
}

std::string SharingWords(const Sharing& sharing) {
  std::vector<std::string_view> words;
  if (sharing.tensor) words.emplace_back("tensor");
  if (sharing.channel) words.emplace_back("channel");
  if (sharing.group) words.emplace_back("group:G");
  return fmt::format("{}", fmt::join(words, ", "));
}

Error Invalid(const Convention& convention, std::string_view what) {
  return {StatusCode::kInvalidArgument, fmt::format("{} {}", ConventionName(convention), what)};
}

// How many consecutive k share a scale, or 0 for all; `tensor` if all channels do.
struct Shares {
  std::int64_t group = 0;
  bool tensor = false;
};

Result<Shares> SharesOf(const QuantizationSpec& spec, const QuantizationRecipe& recipe) {
  const Convention& convention = *spec.convention;
  if (spec.block_format != recipe.block || (!recipe.block && spec.dtype != recipe.dtype)) {
    return tl::unexpected(
        Invalid(convention, fmt::format("has another format; expected {}: \"{}\"",
                                        FormatName(recipe.block, recipe.dtype),
                                        FormatName(spec.block_format, spec.dtype))));
  }
  if (recipe.block) return Shares{.group = recipe.group};
  const GranularityKind kind = spec.granularity.kind;
  if (kind == GranularityKind::kTensor && recipe.sharing.tensor) return Shares{.tensor = true};
  if (kind == GranularityKind::kChannel && recipe.sharing.channel) return Shares{};
  if (kind == GranularityKind::kGroup && recipe.sharing.group) {
    const auto& sizes = recipe.group_sizes;
    const bool any_size = sizes.front() == 0;
    if (any_size || std::find(sizes.begin(), sizes.end(), spec.granularity.rows) != sizes.end()) {
      return Shares{.group = spec.granularity.rows};
    }
    const auto last = std::find(sizes.begin(), sizes.end(), 0);
    return tl::unexpected(Invalid(
        convention, fmt::format("has no groups of this size; expected one of {}: {}",
                                fmt::join(sizes.begin(), last, ", "), spec.granularity.rows)));
  }
  return tl::unexpected(Invalid(
      convention,
      fmt::format("has no such granularity; expected one of {}", SharingWords(recipe.sharing))));
}

bool IsFinite(std::span<const float> elements) {
  return std::all_of(elements.begin(), elements.end(), [](float x) { return std::isfinite(x); });
}

// What the channels have in common, each from the finite elements.
struct TensorRange {
  ElementRange range;
  bool is_empty = true;
  std::int64_t first_finite_channel = std::numeric_limits<std::int64_t>::max();

  void Add(const TensorRange& other) {
    first_finite_channel = std::min(first_finite_channel, other.first_finite_channel);
    if (other.is_empty) return;
    range = is_empty ? other.range : Merged(range, other.range);
    is_empty = false;
  }
};

TensorRange RangeOfChannel(std::int64_t n, std::span<const float> x, Subnormals subnormals) {
  TensorRange result;
  if (IsFinite(x)) result.first_finite_channel = n;
  std::vector<float> finite;
  std::copy_if(x.begin(), x.end(), std::back_inserter(finite),
               [](float value) { return std::isfinite(value); });
  if (finite.empty()) return result;
  result.range = RangeOf(finite, subnormals);
  result.is_empty = false;
  return result;
}

TensorRange RangeOfTensor(const ChannelSource& source, Subnormals subnormals, int threads) {
  std::vector<TensorRange> channels(static_cast<std::size_t>(source.Channels()));
  ForEachChannel<float>(source, threads, [&](std::int64_t n, std::span<const float> x) {
    channels[static_cast<std::size_t>(n)] = RangeOfChannel(n, x, subnormals);
  });
  TensorRange tensor;
  for (const TensorRange& channel : channels) tensor.Add(channel);
  return tensor;
}

// The standard deviation of the finite elements in the order of a matrix [K, N] in memory, which is
// that of ONNX and in which numpy sums. Needs room for all elements.
float DeviationOfTensor(const ChannelSource& source, DType stored_dtype, int threads) {
  const auto depth = static_cast<std::size_t>(source.Depth());
  const auto channels = static_cast<std::size_t>(source.Channels());
  std::vector<float> elements(depth * channels);
  ForEachChannel<float>(source, threads, [&](std::int64_t n, std::span<const float> x) {
    for (std::size_t k = 0; k < depth; ++k) {
      elements[k * channels + static_cast<std::size_t>(n)] = x[k];
    }
  });
  std::erase_if(elements, [](float x) { return !std::isfinite(x); });
  return elements.empty()
             ? 0.0F
             : StandardDeviation(elements, TypeOfStep(StepType::kWeights, stored_dtype));
}

class ConventionQuantizer : public Quantizer {
 public:
  ConventionQuantizer(const QuantizationRecipe& recipe, Shares shares, const TensorRange& tensor,
                      DType stored_dtype, bool has_only_scale, ShortGroups short_groups)
      : recipe_(recipe),
        shares_(shares),
        tensor_(tensor),
        weights_(stored_dtype),
        has_only_scale_(has_only_scale),
        completes_(short_groups == ShortGroups::kCompleted),
        scale_type_(ScaleTypeOf(recipe, stored_dtype)) {}

  ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                     std::span<float> values, QuantizationCounts& counts) const override {
    // What can be refused was, when this quantizer was made.
    NG_CHECK(begin == 0 && TryQuantize(n, x, values, counts).has_value());
    return ErrorsAre::kFloat64;
  }

  ErrorsAre Quantize(std::int64_t, std::int64_t, std::span<const double>, std::span<float>,
                     QuantizationCounts&) const override {
    NG_CHECK(false);  // A float64 matrix was refused.
  }

  [[nodiscard]] Result<void> TryQuantize(std::int64_t n, std::span<const float> x,
                                         std::span<float> values,
                                         QuantizationCounts& counts) const {
    NG_CHECK(values.size() == x.size());
    const std::size_t size = shares_.group == 0 ? std::max<std::size_t>(1, x.size())
                                                : static_cast<std::size_t>(shares_.group);
    QuantizedGroup group;
    for (std::size_t first = 0; first < x.size(); first += size) {
      const std::size_t length = std::min(size, x.size() - first);
      std::span<const float> elements = x.subspan(first, length);
      std::vector<float> completed;
      if (completes_ && length < size) {
        completed.assign(elements.begin(), elements.end());
        completed.resize(size);
        elements = completed;
      }
      const GroupInput input{.elements = elements,
                             .shared = shares_.tensor ? &tensor_.range : nullptr,
                             .tensor_absmax = tensor_.is_empty ? 0.0F : tensor_.range.Absmax(),
                             .weights = weights_,
                             .has_only_scale = has_only_scale_};
      if (Result<void> done = QuantizeGroup(recipe_, input, group); !done) return done;
      std::copy_n(group.values.begin(), length,
                  values.begin() + static_cast<std::ptrdiff_t>(first));
      const std::int64_t index =
          n * static_cast<std::int64_t>(x.size()) + static_cast<std::int64_t>(first);
      CountElements(group, index, counts);
      CountValues(x.subspan(first, length), values.subspan(first, length), index, counts);
      // A scale that all channels share is counted with one of them.
      if (!shares_.tensor || n == tensor_.first_finite_channel) {
        CountScale(group, input, index, counts);
      }
    }
    return {};
  }

 private:
  static void CountElements(const QuantizedGroup& group, std::int64_t index,
                            QuantizationCounts& counts) {
    if (group.saturated.count == 0) return;
    counts.saturated.Merge({group.saturated.count, index + group.saturated.first_index});
  }

  static void CountValues(std::span<const float> x, std::span<const float> values,
                          std::int64_t index, QuantizationCounts& counts) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool flushed = values[i] == 0 && x[i] != 0;
      const bool flipped = (values[i] > 0 && x[i] < 0) || (values[i] < 0 && x[i] > 0);
      counts.flushed_to_zero.Note(index + static_cast<std::int64_t>(i), flushed ? 1 : 0);
      counts.sign_flipped.Note(index + static_cast<std::int64_t>(i), flipped ? 1 : 0);
    }
  }

  void CountScale(const QuantizedGroup& group, const GroupInput& input, std::int64_t index,
                  QuantizationCounts& counts) const {
    const bool is_zero = input.shared != nullptr
                             ? input.shared->Absmax() == 0.0F
                             : std::all_of(input.elements.begin(), input.elements.end(),
                                           [](float x) { return x == 0.0F; });
    if (is_zero) counts.zero_scales.Note(index);
    if (IsSubnormal(group.scale, scale_type_)) counts.subnormal_scales.Note(index);
    if (!is_zero && group.scale == 0) counts.underflowed_scales.Note(index);
    if (!std::isfinite(group.scale) || group.scale_clamped) counts.overflowed_scales.Note(index);
  }

  const QuantizationRecipe& recipe_;
  Shares shares_;
  TensorRange tensor_;
  DType weights_;
  bool has_only_scale_;
  bool completes_;
  std::optional<DType> scale_type_;
};

// Returns the first refusal of a channel, if there is one.
Result<void> TryAll(const ConventionQuantizer& quantizer, const ChannelSource& source,
                    const Convention& convention, int threads) {
  std::vector<Result<void>> results(static_cast<std::size_t>(source.Channels()));
  ForEachChannel<float>(source, threads, [&](std::int64_t n, std::span<const float> x) {
    if (!IsFinite(x)) return;
    std::vector<float> values(x.size());
    QuantizationCounts counts;
    results[static_cast<std::size_t>(n)] = quantizer.TryQuantize(n, x, values, counts);
  });
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (results[n]) continue;
    return MakeError(results[n].error().code,
                     fmt::format("{} {}, as in channel {}", ConventionName(convention),
                                 results[n].error().message, n));
  }
  return {};
}

}  // namespace

StoredScales StoredScalesOf(const Convention& convention, DType stored_dtype) {
  const QuantizationRecipe& recipe = RecipeOf(convention);
  return {ScaleTypeOf(recipe, stored_dtype).value_or(DType::kFloat8E8M0Fnu),
          NeedsTensorAbsmax(recipe)};
}

Result<std::unique_ptr<Quantizer>> MakeConventionQuantizer(const QuantizationSpec& spec,
                                                           const ChannelSource& source,
                                                           ShortGroups short_groups, int threads) {
  NG_CHECK(spec.convention != nullptr);
  const Convention& convention = *spec.convention;
  const DType stored_dtype = source.StoredDType();
  if (stored_dtype == DType::kFloat64) {
    return MakeError(
        StatusCode::kFailedPrecondition,
        fmt::format("{} is not defined for float64 weights; expected float32 or narrower",
                    ConventionName(convention)));
  }
  const QuantizationRecipe& recipe = RecipeOf(convention);
  const Result<Shares> shares = SharesOf(spec, recipe);
  if (!shares) return tl::unexpected(shares.error());
  if (stored_dtype == DType::kFloat16 && !recipe.takes_float16) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("{} takes no float16 weights", ConventionName(convention)));
  }
  if (shares->group > 0 && recipe.remainder == Remainder::kRefused &&
      short_groups == ShortGroups::kAsThePackage && source.Depth() % shares->group != 0) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("{} takes only a K that is a multiple of its group; K is {}, "
                                 "the group {}",
                                 ConventionName(convention), source.Depth(), shares->group));
  }
  TensorRange tensor;
  if (shares->tensor || NeedsTensorAbsmax(recipe)) {
    tensor = RangeOfTensor(source, SubnormalsOf(recipe), threads);
    if (shares->tensor && NeedsDeviation(recipe)) {
      tensor.range.deviation = DeviationOfTensor(source, stored_dtype, threads);
    }
  }
  const bool has_only_scale =
      shares->tensor ||
      (source.Channels() == 1 && (shares->group == 0 || source.Depth() <= shares->group));
  auto quantizer = std::make_unique<ConventionQuantizer>(recipe, *shares, tensor, stored_dtype,
                                                         has_only_scale, short_groups);
  if (MayRefuseWeights(recipe)) {
    if (Result<void> tried = TryAll(*quantizer, source, convention, threads); !tried) {
      return tl::unexpected(tried.error());
    }
  }
  return quantizer;
}

}  // namespace narrowgauge::internal
