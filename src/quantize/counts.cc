#include <algorithm>

#include "narrowgauge/quantization.h"

namespace narrowgauge {

void Occurrences::Note(std::int64_t index, std::int64_t times) {
  if (times == 0) return;
  first_index = count == 0 ? index : std::min(first_index, index);
  count += times;
}

void Occurrences::Merge(const Occurrences& other) { Note(other.first_index, other.count); }

void QuantizationCounts::Merge(const QuantizationCounts& other) {
  saturated.Merge(other.saturated);
  flushed_to_zero.Merge(other.flushed_to_zero);
  sign_flipped.Merge(other.sign_flipped);
  zero_scales.Merge(other.zero_scales);
  subnormal_scales.Merge(other.subnormal_scales);
  underflowed_scales.Merge(other.underflowed_scales);
  overflowed_scales.Merge(other.overflowed_scales);
}

}  // namespace narrowgauge
