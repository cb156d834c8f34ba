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

}  // namespace

std::unique_ptr<Quantizer> FastQuantizer::Make(std::shared_ptr<const PlainQuantizer> plain,
                                               const Kernels& kernels) {
  const GroupRules& rules = plain->Rules();
  const QuantizationSpec& spec = rules.spec;
  const bool known = spec.rounding == RoundingMode::kNearestEven &&
                     spec.zero_point != ZeroPoint::kFloat && spec.method == RangeMethod::kAbsmax &&
                     rules.precision == DType::kFloat32;
  auto codec = MakeCodecConstants(rules.grid.Info(), spec.overflow);
  if (!known || !codec || codec->kind == CodecKind::kPowerOfTwo) return nullptr;
  if (codec->kind == CodecKind::kInteger) {
    codec->lowest = static_cast<float>(rules.grid.Lowest());
    codec->largest = static_cast<float>(rules.grid.Largest());
  }
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
    const auto scale = static_cast<float>(shared.scale);
    if (!(scale >= kLeastScale && scale <= kGreatestScale)) {
      shared_oddities_.push_back(static_cast<std::int64_t>(shared_scales_.size()));
    }
    shared_scales_.push_back(scale);
  }
  if (IsBlock(spec, BlockFamily::kMx)) {
    mx_scales_.emplace(spec.rule, plain_->Rules().grid);
  }
}

QuantizationCounts FastQuantizer::SharedCounts() const { return plain_->SharedCounts(); }

void FastQuantizer::Quantize(std::int64_t n, std::span<const double> x, std::span<float> values,
                             QuantizationCounts& counts) const {
  plain_->Quantize(n, x, values, counts);
}

void FastQuantizer::Quantize(std::int64_t n, std::span<const float> x, std::span<float> values,
                             QuantizationCounts& counts) const {
  const auto rows = static_cast<std::size_t>(plain_->Layout().rows);
  const std::size_t step = rows > kChunk ? rows : kChunk / rows * rows;
  for (std::size_t begin = 0; begin < x.size(); begin += step) {
    const std::size_t length = std::min(step, x.size() - begin);
    const auto part = x.subspan(begin, length);
    const auto part_values = values.subspan(begin, length);
    if (has_zero_points_) {
      QuantizeWithOffsets(n, static_cast<std::int64_t>(begin), part, part_values, counts);
    } else if (length > kChunk) {
      QuantizeLongRun(n, static_cast<std::int64_t>(begin), part, part_values, counts);
    } else {
      QuantizeChunk(n, static_cast<std::int64_t>(begin), part, part_values, counts);
    }
  }
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
    if (found.is_zero_group || found.is_subnormal || found.underflowed || found.overflowed)
      return false;
    scales[i] = static_cast<float>(found.scale);
    factors[i] = scales[i];
    least = std::min(least, scales[i]);
    greatest = std::max(greatest, scales[i]);
  }
  return least >= kLeastScale && greatest <= kGreatestScale;
}

// One entry per run, or per element where runs are neither long nor multiples of kRunMultiple.
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
  const auto value = static_cast<float>(scale.scale);
  if (!(value >= kLeastScale && value <= kGreatestScale)) return false;
  found.scales[run] = value;
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
    const bool peculiar =
        scale.is_zero_group || scale.is_subnormal || scale.underflowed || scale.overflowed;
    if (peculiar || !TakeOffsetScale(scale, run, found)) return false;
  }
  return true;
}

void FastQuantizer::QuantizeWithOffsets(std::int64_t n, std::int64_t begin,
                                        std::span<const float> x, std::span<float> values,
                                        QuantizationCounts& counts) const {
  const auto rows = std::min(static_cast<std::size_t>(plain_->Layout().rows), x.size());
  const std::size_t runs = (x.size() + rows - 1) / rows;
  OffsetScales found(runs);
  if (!FindOffsetScales(n, begin, x, found)) return QuantizePlainly(n, begin, x, values, counts);
  std::size_t length = rows;
  if (runs > 1 && rows > 1 && rows % kRunMultiple != 0) {
    found.Repeat(rows, x.size());
    length = 1;
  }
  RunKernel(n, begin, x,
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

void FastQuantizer::QuantizeChunk(std::int64_t n, std::int64_t begin, std::span<const float> x,
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
    if (scales == nullptr) return QuantizePlainly(n, begin, x, values, counts);
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
      return QuantizePlainly(n, begin, x, values, counts);
    }
  }

  ScaledRuns scaled{.length = rows,
                    .factors = factors,
                    .scales = scales,
                    .multiply = mx_scales_.has_value(),
                    .bounded = bounded_};
  std::array<float, kChunk> element_factors;
  std::array<float, kChunk> element_scales;
  if (rows % kRunMultiple != 0 && runs > 1 && rows > 1) {
    for (std::int64_t i = 0; i < count; ++i) {
      element_factors[static_cast<std::size_t>(i)] = factors[i / rows];
      element_scales[static_cast<std::size_t>(i)] = scales[i / rows];
    }
    scaled.length = 1;
    scaled.factors = element_factors.data();
    scaled.scales = element_scales.data();
  }
  RunKernel(n, begin, x, scaled, values, counts);
}

void FastQuantizer::QuantizeLongRun(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                    std::span<float> values, QuantizationCounts& counts) const {
  const auto count = static_cast<std::int64_t>(x.size());
  float factor = 1;
  float scale = 1;
  if (plain_->Layout().IsShared()) {
    const float* const shared = SharedScalesOf(n, begin / plain_->Layout().rows, 1);
    if (shared == nullptr) return QuantizePlainly(n, begin, x, values, counts);
    factor = scale = *shared;
  } else if (!is_unscaled_) {
    float absmax = 0;
    kernels_.run_absmax(x.data(), count, count, &absmax);
    if (!FindScales(&absmax, 1, &factor, &scale)) {
      return QuantizePlainly(n, begin, x, values, counts);
    }
  }
  for (std::size_t start = 0; start < x.size(); start += kChunk) {
    const std::size_t length = std::min(kChunk, x.size() - start);
    const ScaledRuns runs{.length = static_cast<std::int64_t>(length),
                          .factors = &factor,
                          .scales = &scale,
                          .unscaled = is_unscaled_,
                          .bounded = bounded_};
    RunKernel(n, begin + static_cast<std::int64_t>(start), x.subspan(start, length), runs,
              values.subspan(start, length), counts);
  }
}

void FastQuantizer::QuantizePlainly(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                    std::span<float> values, QuantizationCounts& counts) const {
  const std::vector<double> widened(x.begin(), x.end());
  plain_->QuantizeRuns(n, begin, widened, values, counts);
}

void FastQuantizer::RunKernel(std::int64_t n, std::int64_t begin, std::span<const float> x,
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
}

bool FastQuantizer::IsSaturated(float x, std::size_t i, const ScaledRuns& runs) const {
  const std::size_t run = i / static_cast<std::size_t>(runs.length);
  const float factor = runs.unscaled ? 1 : runs.factors[run];
  const float quotient = runs.multiply ? x * factor : x / factor;
  if (runs.lowest != nullptr) {
    const float rounded = std::nearbyint(quotient);
    return rounded < runs.lowest[run] || rounded > runs.largest[run];
  }
  const bool is_mx_integer =
      plain_->Rules().spec.block_format && codec_.kind == CodecKind::kInteger;
  const double unit = is_mx_integer ? 0x1p-6 : 1.0;
  return plain_->Rules().grid.Round(static_cast<double>(quotient) * unit, 0, 0).saturated;
}

}  // namespace narrowgauge::internal
