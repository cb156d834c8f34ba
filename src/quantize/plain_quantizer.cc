#include "src/quantize/plain_quantizer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/check.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

PlainQuantizer::PlainQuantizer(const GroupRules& rules, const GroupLayout& layout,
                               std::vector<GroupScale> shared, std::uint64_t seed)
    : rules_(rules), layout_(layout), shared_(std::move(shared)), seed_(seed) {
  NG_CHECK(layout_.IsShared() ? static_cast<std::int64_t>(shared_.size()) == layout_.Count()
                              : shared_.empty());
}

ErrorsAre PlainQuantizer::Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                   std::span<float> values, QuantizationCounts& counts) const {
  const std::vector<double> widened(x.begin(), x.end());
  return Quantize(n, begin, widened, values, counts);
}

QuantizationCounts PlainQuantizer::SharedCounts() const {
  QuantizationCounts counts;
  const std::int64_t runs = layout_.RunsPerChannel();
  for (std::size_t group = 0; group < shared_.size(); ++group) {
    const auto index = static_cast<std::int64_t>(group);
    NoteScale(shared_[group],
              index / runs * layout_.columns * layout_.depth + index % runs * layout_.rows, counts);
  }
  return counts;
}

GroupScale PlainQuantizer::ScaleOfRun(std::int64_t n, std::int64_t run, std::span<const double> x,
                                      QuantizationCounts& counts) const {
  if (layout_.IsShared()) return shared_[static_cast<std::size_t>(layout_.GroupOf(n, run))];
  if (IsCast(rules_.spec)) {
    return {};
  }
  const Range range = GetRangeMethod(rules_.spec.method).find(rules_, x);
  const GroupScale scale = FindScale(rules_.spec, rules_.grid, range, rules_.tensor_scale);
  NoteScale(scale, n * layout_.depth + run * layout_.rows, counts);
  return scale;
}

std::vector<std::uint64_t> PlainQuantizer::RandomBits(std::int64_t first, std::size_t count) const {
  if (rules_.spec.rounding != RoundingMode::kStochastic) return {};
  // A key of its own, so that no element shares bits with activations drawn from the same seed.
  constexpr std::uint32_t kRoundingKey = 0x726F756EU;
  const std::uint32_t key[2] = {static_cast<std::uint32_t>(seed_ >> 32) ^ kRoundingKey,
                                static_cast<std::uint32_t>(seed_)};
  std::vector<std::uint32_t> words(count);
  KernelsFor(InstructionSet::kBaseline)
      .threefry_bits(key, static_cast<std::uint64_t>(first), static_cast<std::int64_t>(count),
                     words.data());
  std::vector<std::uint64_t> bits(count);
  std::ranges::transform(words, bits.begin(),
                         [](std::uint32_t word) { return std::uint64_t{word} << 32; });
  return bits;
}

template <typename Take>
void PlainQuantizer::ForEachElement(std::int64_t n, std::int64_t begin, std::span<const double> x,
                                    QuantizationCounts& counts, const Take& take) const {
  const std::vector<std::uint64_t> random = RandomBits(n * layout_.depth + begin, x.size());
  for (std::size_t start = 0; start < x.size();) {
    const std::size_t length = std::min(static_cast<std::size_t>(layout_.rows), x.size() - start);
    const std::int64_t run = (begin + static_cast<std::int64_t>(start)) / layout_.rows;
    const GroupScale scale = ScaleOfRun(n, run, x.subspan(start, length), counts);
    for (std::size_t i = start; i < start + length; ++i) {
      take(i, QuantizeElement(rules_, scale, x[i], random.empty() ? 0 : random[i]), scale);
    }
    start += length;
  }
}

ErrorsAre PlainQuantizer::Quantize(std::int64_t n, std::int64_t begin, std::span<const double> x,
                                   std::span<float> values, QuantizationCounts& counts) const {
  const std::int64_t first = n * layout_.depth + begin;
  const auto take = [&](std::size_t i, const QuantizedElement& element, const GroupScale&) {
    const float value = element.value;
    values[i] = value;
    const std::int64_t index = first + static_cast<std::int64_t>(i);
    counts.saturated.Note(index, element.saturated ? 1 : 0);
    counts.flushed_to_zero.Note(index, value == 0 && x[i] != 0 ? 1 : 0);
    counts.sign_flipped.Note(index, (value > 0 && x[i] < 0) || (value < 0 && x[i] > 0) ? 1 : 0);
  };
  ForEachElement(n, begin, x, counts, take);
  return ErrorsAre::kFloat64;
}

ChannelCodes PlainQuantizer::Codes(std::int64_t n, std::span<const float> x) const {
  return Codes(n, std::vector<double>(x.begin(), x.end()));
}

ChannelCodes PlainQuantizer::Codes(std::int64_t n, std::span<const double> x) const {
  NG_CHECK(!IsCast(rules_.spec) && rules_.spec.zero_point != ZeroPoint::kFloat);
  const auto unit = static_cast<float>(rules_.grid.Unit());
  ChannelCodes result = {.run_length = layout_.rows, .codes = {}, .scales = {}, .zero_points = {}};
  QuantizationCounts ignored;
  const auto take = [&](std::size_t i, const QuantizedElement& element, const GroupScale& scale) {
    result.codes.push_back(element.code / unit);
    if (i % static_cast<std::size_t>(layout_.rows) != 0) return;
    result.scales.push_back(static_cast<float>(scale.scale) * unit);
    result.zero_points.push_back(static_cast<float>(scale.zero_point));
  };
  ForEachElement(n, 0, x, ignored, take);
  return result;
}

}  // namespace narrowgauge::internal
