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
  for (const auto& [name, counted] : kQuantizationCounts) (this->*counted).Merge(other.*counted);
}

}  // namespace narrowgauge
