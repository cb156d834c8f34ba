#include "src/quantize/fast_quantizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/numerics/bulk_convert.h"

namespace narrowgauge::internal {
namespace {

constexpr auto kChunk = static_cast<std::size_t>(kPartialElements);

// Scales for which x / s of a covered x, its code times s, and 1 / s of a power of two are normal.
constexpr float kLeastScale = 0x1p-100F;
constexpr float kGreatestScale = 0x1p100F;

bool IsBlock(const QuantizationSpec& spec, BlockFamily family) {
  return spec.block_format && GetBlockFormatInfo(*spec.block_format).family == family;
}

// Whether x / s of elements that a scale covers rounds to no more than the largest value.
bool NothingSaturates(const QuantizationSpec& spec) {
  if (IsBlock(spec, BlockFamily::kNvFp4)) return false;  // Its scales are rounded to 4 bits.
  if (IsBlock(spec, BlockFamily::kMx)) {
    return spec.rule == MxScaleRule::kCeil || spec.rule == MxScaleRule::kRceil;
  }
  if (spec.scale_dtype != DType::kFloat32) return false;
  return spec.range == ScaleRange::kNarrow;
}

// Whether the kernels may take a scale: one that fits its group, and lies where they need no corner
// cases.
bool IsOrdinary(const GroupScale& scale) {
  const auto value = static_cast<float>(scale.scale);
  const bool fits =
      !scale.is_zero_group && !scale.is_subnormal && !scale.underflowed && !scale.overflowed;
  return fits && value >= kLeastScale && value <= kGreatestScale;
}

}  // namespace

std::unique_ptr<Quantizer> FastQuantizer::Make(std::shared_ptr<const PlainQuantizer> plain,
                                               const Kernels& kernels) {
  const GroupRules& rules = plain->Rules();
  const QuantizationSpec& spec = rules.spec;
  const bool known = spec.rounding == RoundingMode::kNearestEven &&
                     spec.zero_point != ZeroPoint::kFloat && spec.method == RangeMethod::kAbsmax &&
                     rules.precision == DType::kFloat32;
  const auto codec = rules.grid.Codec();
  if (!known || !codec || codec->kind == CodecKind::kPowerOfTwo) return nullptr;
  return std::unique_ptr<Quantizer>(new FastQuantizer(std::move(plain), kernels, *codec));
}

FastQuantizer::FastQuantizer(std::shared_ptr<const PlainQuantizer> plain, const Kernels& kernels,
                             const CodecConstants& codec)
    : plain_(std::move(plain)), kernels_(kernels), codec_(codec) {
  const QuantizationSpec& spec = plain_->Rules().spec;
  is_unscaled_ = IsCast(spec);
  has_zero_points_ = spec.zero_point == ZeroPoint::kInteger;
  bounded_ = !is_unscaled_ && NothingSaturates(spec);
  if (IsBlock(spec, BlockFamily::kNvFp4)) {
    e4m3_ = MakeCodecConstants(GetDTypeInfo(DType::kFloat8E4M3Fn), OverflowMode::kSaturate);
  }
  for (const GroupScale& shared : plain_->SharedScales()) {
    if (!IsOrdinary(shared)) {
      shared_oddities_.push_back(static_cast<std::int64_t>(shared_scales_.size()));
    }
    shared_scales_.push_back(static_cast<float>(shared.scale));
  }
  if (IsBlock(spec, BlockFamily::kMx)) {
    mx_scales_.emplace(spec.rule, plain_->Rules().grid);
  }
}

QuantizationCounts FastQuantizer::SharedCounts() const { return plain_->SharedCounts(); }

std::int64_t FastQuantizer::PartLength() const {
  const GroupLayout& layout = plain_->Layout();
  const bool are_whole_runs = kPartialElements % layout.rows == 0;
  const bool are_in_one_run = layout.rows >= layout.depth || layout.rows % kPartialElements == 0;
  const bool finds_scales = !is_unscaled_ && !layout.IsShared();
  return are_whole_runs || (are_in_one_run && !finds_scales) ? kPartialElements : kWholeChannel;
}

ErrorsAre FastQuantizer::Quantize(std::int64_t n, std::int64_t begin, std::span<const double> x,
                                  std::span<float> values, QuantizationCounts& counts) const {
  return plain_->Quantize(n, begin, x, values, counts);
}

ErrorsAre FastQuantizer::Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                  std::span<float> values, QuantizationCounts& counts) const {
  const auto rows = static_cast<std::size_t>(plain_->Layout().rows);
  const std::size_t step = rows > kChunk ? rows : kChunk / rows * rows;
  auto errors = ErrorsAre::kFloat32;
  for (std::size_t start = 0; start < x.size(); start += step) {
    const std::size_t length = std::min(step, x.size() - start);
    const auto part = x.subspan(start, length);
    const auto part_values = values.subspan(start, length);
    const std::int64_t at = begin + static_cast<std::int64_t>(start);
    const ErrorsAre of_part = has_zero_points_
                                  ? QuantizeWithOffsets(n, at, part, part_values, counts)
                              : length > kChunk ? QuantizeLongRun(n, at, part, part_values, counts)
                                                : QuantizeChunk(n, at, part, part_values, counts);
    errors = std::max(errors, of_part);
  }
  return errors;
}

bool FastQuantizer::FindScales(const float* absmax, std::int64_t count, float* factors,
                               float* scales) const {
  const QuantizationSpec& spec = plain_->Rules().spec;
  if (mx_scales_) return mx_scales_->Find(absmax, count, factors, scales);
  float least = kGreatestScale;
  float greatest = 0;
  if (e4m3_) {
    const auto tensor_scale = static_cast<float>(plain_->Rules().tensor_scale);
    for (std::int64_t i = 0; i < count; ++i) scales[i] = absmax[i] / 6.0F / tensor_scale;
    kernels_.round_values(scales, count, *e4m3_, scales);
    float least_code = 448;
    for (std::int64_t i = 0; i < count; ++i) {
      least_code = scales[i] < least_code ? scales[i] : least_code;
      scales[i] *= tensor_scale;
      factors[i] = scales[i];
      least = scales[i] < least ? scales[i] : least;
      greatest = scales[i] > greatest ? scales[i] : greatest;
    }
    return least_code >= 0x1p-6F && least >= kLeastScale && greatest <= kGreatestScale;
  }
  if (spec.scale_dtype == DType::kFloat32) {
    const auto divisor = static_cast<float>(plain_->Rules().grid.Divisor());
    for (std::int64_t i = 0; i < count; ++i) {
      scales[i] = absmax[i] / divisor;
      factors[i] = scales[i];
      least = scales[i] < least ? scales[i] : least;
      greatest = scales[i] > greatest ? scales[i] : greatest;
    }
    return least >= kLeastScale && greatest <= kGreatestScale;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    Range range;
    range.Add(static_cast<double>(absmax[i]));
    const GroupScale found = FindScale(spec, plain_->Rules().grid, range, 1);
    if (!IsOrdinary(found)) return false;
    scales[i] = static_cast<float>(found.scale);
    factors[i] = scales[i];
  }
  return true;
}

// One entry per run, or per element where the runs' length is none that kernels take.
struct FastQuantizer::OffsetScales {
  explicit OffsetScales(std::size_t count) : scales(count), lowest(count), largest(count) {}

  void Repeat(std::size_t rows, std::size_t count) {
    OffsetScales elements(count);
    for (std::size_t i = 0; i < count; ++i) {
      elements.scales[i] = scales[i / rows];
      elements.lowest[i] = lowest[i / rows];
      elements.largest[i] = largest[i / rows];
    }
    *this = std::move(elements);
  }

  std::vector<float> scales, lowest, largest;
};

bool FastQuantizer::TakeOffsetScale(const GroupScale& scale, std::size_t run,
                                    OffsetScales& found) const {
  if (!IsOrdinary(scale)) return false;
  found.scales[run] = static_cast<float>(scale.scale);
  found.lowest[run] = static_cast<float>(plain_->Rules().grid.Lowest() - scale.zero_point);
  found.largest[run] = static_cast<float>(plain_->Rules().grid.Largest() - scale.zero_point);
  return true;
}

bool FastQuantizer::FindOffsetScales(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                     OffsetScales& found) const {
  const GroupLayout& layout = plain_->Layout();
  if (layout.IsShared()) {
    const auto group = static_cast<std::size_t>(layout.GroupOf(n, begin / layout.rows));
    for (std::size_t run = 0; run < found.scales.size(); ++run) {
      if (!TakeOffsetScale(plain_->SharedScales()[group + run], run, found)) return false;
    }
    return true;
  }
  const auto rows = static_cast<std::size_t>(layout.rows);
  for (std::size_t run = 0; run < found.scales.size(); ++run) {
    const auto elements = x.subspan(run * rows, std::min(rows, x.size() - run * rows));
    const auto count = static_cast<std::int64_t>(elements.size());
    float low = 0;
    float high = 0;
    kernels_.run_extremes(elements.data(), count, count, &low, &high);
    const Range range{static_cast<double>(low), static_cast<double>(high), false};
    const GroupRules& rules = plain_->Rules();
    const GroupScale scale = FindScale(rules.spec, rules.grid, range, rules.tensor_scale);
    if (!TakeOffsetScale(scale, run, found)) return false;
  }
  return true;
}

ErrorsAre FastQuantizer::QuantizeWithOffsets(std::int64_t n, std::int64_t begin,
                                             std::span<const float> x, std::span<float> values,
                                             QuantizationCounts& counts) const {
  const auto rows = std::min(static_cast<std::size_t>(plain_->Layout().rows), x.size());
  const std::size_t runs = (x.size() + rows - 1) / rows;
  OffsetScales found(runs);
  if (!FindOffsetScales(n, begin, x, found)) return plain_->Quantize(n, begin, x, values, counts);
  std::size_t length = rows;
  if (!IsRunLength(static_cast<std::int64_t>(rows), static_cast<std::int64_t>(x.size()))) {
    found.Repeat(rows, x.size());
    length = 1;
  }
  return RunKernel(n, begin, x,
                   {.length = static_cast<std::int64_t>(length),
                    .factors = found.scales.data(),
                    .scales = found.scales.data(),
                    .lowest = found.lowest.data(),
                    .largest = found.largest.data()},
                   values, counts);
}

const float* FastQuantizer::SharedScalesOf(std::int64_t n, std::int64_t run,
                                           std::int64_t count) const {
  const std::int64_t first = plain_->Layout().GroupOf(n, run);
  const auto odd = std::ranges::lower_bound(shared_oddities_, first);
  if (odd != shared_oddities_.end() && *odd < first + count) return nullptr;
  return shared_scales_.data() + first;
}

ErrorsAre FastQuantizer::QuantizeChunk(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                       std::span<float> values, QuantizationCounts& counts) const {
  const GroupLayout& layout = plain_->Layout();
  const auto count = static_cast<std::int64_t>(x.size());
  if (is_unscaled_) {
    constexpr float kOne = 1;
    return RunKernel(n, begin, x,
                     {.length = count, .factors = &kOne, .scales = &kOne, .unscaled = true}, values,
                     counts);
  }
  const std::int64_t rows = std::min(layout.rows, count);
  const std::int64_t runs = (count + rows - 1) / rows;
  std::array<float, kChunk> found_factors;
  std::array<float, kChunk> found_scales;
  const float* factors = found_factors.data();
  const float* scales = found_scales.data();
  if (layout.IsShared()) {
    scales = SharedScalesOf(n, begin / layout.rows, runs);
    if (scales == nullptr) return plain_->Quantize(n, begin, x, values, counts);
    factors = scales;
  } else {
    std::array<float, kChunk> absmax;
    const std::int64_t whole = count / rows;
    kernels_.run_absmax(x.data(), whole * rows, rows, absmax.data());
    if (whole < runs) {
      const std::int64_t rest = count - whole * rows;
      kernels_.run_absmax(x.data() + whole * rows, rest, rest, absmax.data() + whole);
    }
    if (!FindScales(absmax.data(), runs, found_factors.data(), found_scales.data())) {
      return plain_->Quantize(n, begin, x, values, counts);
    }
  }

  ScaledRuns scaled{.length = rows,
                    .factors = factors,
                    .scales = scales,
                    .multiply = mx_scales_.has_value(),
                    .bounded = bounded_};
  std::array<float, kChunk> element_factors;
  std::array<float, kChunk> element_scales;
  if (!IsRunLength(rows, count)) {
    for (std::int64_t i = 0; i < count; ++i) {
      element_factors[static_cast<std::size_t>(i)] = factors[i / rows];
      element_scales[static_cast<std::size_t>(i)] = scales[i / rows];
    }
    scaled.length = 1;
    scaled.factors = element_factors.data();
    scaled.scales = element_scales.data();
  }
  return RunKernel(n, begin, x, scaled, values, counts);
}

ErrorsAre FastQuantizer::QuantizeLongRun(std::int64_t n, std::int64_t begin,
                                         std::span<const float> x, std::span<float> values,
                                         QuantizationCounts& counts) const {
  const auto count = static_cast<std::int64_t>(x.size());
  float factor = 1;
  float scale = 1;
  if (plain_->Layout().IsShared()) {
    const float* const shared = SharedScalesOf(n, begin / plain_->Layout().rows, 1);
    if (shared == nullptr) return plain_->Quantize(n, begin, x, values, counts);
    factor = scale = *shared;
  } else if (!is_unscaled_) {
    float absmax = 0;
    kernels_.run_absmax(x.data(), count, count, &absmax);
    if (!FindScales(&absmax, 1, &factor, &scale)) {
      return plain_->Quantize(n, begin, x, values, counts);
    }
  }
  auto errors = ErrorsAre::kFloat32;
  for (std::size_t start = 0; start < x.size(); start += kChunk) {
    const std::size_t length = std::min(kChunk, x.size() - start);
    const ScaledRuns runs{.length = static_cast<std::int64_t>(length),
                          .factors = &factor,
                          .scales = &scale,
                          .unscaled = is_unscaled_,
                          .bounded = bounded_};
    const ErrorsAre of_part =
        RunKernel(n, begin + static_cast<std::int64_t>(start), x.subspan(start, length), runs,
                  values.subspan(start, length), counts);
    errors = std::max(errors, of_part);
  }
  return errors;
}

ErrorsAre FastQuantizer::RunKernel(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                   const ScaledRuns& runs, std::span<float> values,
                                   QuantizationCounts& counts) const {
  RoundingCounts found;
  kernels_.quantize_values(x.data(), static_cast<std::int64_t>(x.size()), runs, codec_,
                           values.data(), found);
  const std::int64_t first = n * plain_->Layout().depth + begin;
  if (found.flushed_to_zero > 0) {
    std::int64_t index = first;
    if (counts.flushed_to_zero.count == 0 || first < counts.flushed_to_zero.first_index) {
      std::size_t i = 0;
      while (values[i] != 0 || x[i] == 0) ++i;
      index = first + static_cast<std::int64_t>(i);
    }
    counts.flushed_to_zero.Note(index, found.flushed_to_zero);
  }
  if (found.saturated > 0) {
    std::int64_t index = first;
    if (counts.saturated.count == 0 || first < counts.saturated.first_index) {
      std::size_t i = 0;
      while (!IsSaturated(x[i], i, runs)) ++i;
      index = first + static_cast<std::int64_t>(i);
    }
    counts.saturated.Note(index, found.saturated);
  }
  // Where nothing saturates, rounding to nearest gives 0 or what lies between x / 2 and 2 x: values
  // of a format are at most a factor of two apart, and the smallest above 0 is a power of two,
  // whose product with a scale is exact. Such a difference is a float32 (Sterbenz). A scale found
  // by absmax leaves no quotient beyond twice the largest value.
  const bool lies_near = found.saturated == 0 || (!runs.unscaled && runs.lowest == nullptr);
  return lies_near ? ErrorsAre::kFloat32 : ErrorsAre::kFloat64;
}

bool FastQuantizer::IsSaturated(float x, std::size_t i, const ScaledRuns& runs) const {
  const std::size_t run = i / static_cast<std::size_t>(runs.length);
  const float factor = runs.unscaled ? 1 : runs.factors[run];
  const float quotient = runs.multiply ? x * factor : x / factor;
  if (codec_.kind != CodecKind::kInteger) return std::fabs(quotient) > codec_.last_within;
  const float rounded = std::nearbyint(quotient);
  const float lowest = runs.lowest == nullptr ? codec_.lowest : runs.lowest[run];
  const float largest = runs.largest == nullptr ? codec_.largest : runs.largest[run];
  return rounded < lowest || rounded > largest;
}

}  // namespace narrowgauge::internal
