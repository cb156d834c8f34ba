#ifndef NARROWGAUGE_QUANTIZE_GROUP_LAYOUT_H_
#define NARROWGAUGE_QUANTIZE_GROUP_LAYOUT_H_

#include <cstdint>

#include "narrowgauge/quantization.h"

namespace narrowgauge::internal {

// How the groups of a spec lie in a matrix w[K, N]: each channel is cut into runs of `rows`
// consecutive k (the last may be shorter), and `columns` consecutive channels share theirs.
struct GroupLayout {
  std::int64_t depth = 0;     // K
  std::int64_t channels = 0;  // N
  std::int64_t rows = 1;
  std::int64_t columns = 1;

  [[nodiscard]] std::int64_t RunsPerChannel() const { return (depth + rows - 1) / rows; }
  // Whether a group may span several channels, whose scales are then found beforehand.
  [[nodiscard]] bool IsShared() const { return columns > 1; }
  [[nodiscard]] std::int64_t Count() const {
    return RunsPerChannel() * ((channels + columns - 1) / columns);
  }
  // The group of run r of channel n.
  [[nodiscard]] std::int64_t GroupOf(std::int64_t n, std::int64_t run) const {
    return n / columns * RunsPerChannel() + run;
  }
};

[[nodiscard]] GroupLayout LayOutGroups(const QuantizationSpec& spec, std::int64_t depth,
                                       std::int64_t channels);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_GROUP_LAYOUT_H_
