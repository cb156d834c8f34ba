#include "src/quantize/conventions/range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "src/base/check.h"
#include "src/quantize/conventions/step.h"

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kPartialSums = 8;
constexpr std::size_t kSumByHalvesAbove = 128;

float SumOfFew(std::span<const float> values) {
  if (values.size() < kPartialSums) {
    float sum = 0;
    for (const float value : values) sum += value;
    return sum;
  }
  std::array<float, kPartialSums> r;
  std::copy_n(values.begin(), kPartialSums, r.begin());
  std::size_t i = kPartialSums;
  for (; i + kPartialSums <= values.size(); i += kPartialSums) {
    for (std::size_t j = 0; j < kPartialSums; ++j) r[j] += values[i + j];
  }
  float sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

float SumByHalves(std::span<const float> values) {
  if (values.size() <= kSumByHalvesAbove) return SumOfFew(values);
  const std::size_t half = values.size() / 2 / kPartialSums * kPartialSums;
  return SumByHalves(values.first(half)) + SumByHalves(values.subspan(half));
}

float MeanOf(std::span<const float> values, DType type) {
  const float sum = RoundTo(type, SumByHalves(values));
  return RoundTo(type,
                 static_cast<float>(static_cast<double>(sum) / static_cast<double>(values.size())));
}

float Flushed(float value, Subnormals subnormals) {
  const bool flushed = subnormals == Subnormals::kFlushed && std::fpclassify(value) == FP_SUBNORMAL;
  return flushed ? std::copysign(0.0F, value) : value;
}

}  // namespace

float ElementRange::Absmax() const {
  return std::isnan(lowest) ? lowest : std::max(std::fabs(lowest), std::fabs(largest));
}

ElementRange RangeOf(std::span<const float> elements, Subnormals subnormals) {
  NG_CHECK(!elements.empty());
  ElementRange range;
  range.lowest = range.largest = range.first_extreme = Flushed(elements.front(), subnormals);
  for (const float element : elements) {
    const float value = Flushed(element, subnormals);
    if (std::isnan(value)) {
      range.lowest = range.largest = range.first_extreme = value;
      break;
    }
    if (value < range.lowest) range.lowest = value;
    if (value > range.largest) range.largest = value;
    if (std::fabs(value) > std::fabs(range.first_extreme)) range.first_extreme = value;
  }
  return range;
}

ElementRange Merged(const ElementRange& a, const ElementRange& b) {
  if (std::isnan(a.lowest)) return a;
  if (std::isnan(b.lowest)) return b;
  ElementRange merged = a;
  if (b.lowest < a.lowest) merged.lowest = b.lowest;
  if (b.largest > a.largest) merged.largest = b.largest;
  if (std::fabs(b.first_extreme) > std::fabs(a.first_extreme)) {
    merged.first_extreme = b.first_extreme;
  }
  merged.deviation = 0;
  return merged;
}

float StandardDeviation(std::span<const float> elements, DType type) {
  const float mean = MeanOf(elements, type);
  std::vector<float> squares(elements.size());
  std::transform(elements.begin(), elements.end(), squares.begin(), [&](float value) {
    const float difference = RoundTo(type, value - mean);
    return RoundTo(type, difference * difference);
  });
  return RoundTo(type, std::sqrt(MeanOf(squares, type)));
}

}  // namespace narrowgauge::internal
