#ifndef NARROWGAUGE_QUANTIZE_SHARED_SCALES_H_
#define NARROWGAUGE_QUANTIZE_SHARED_SCALES_H_

#include <vector>

#include "src/quantize/group.h"
#include "src/quantize/group_layout.h"
#include "src/quantize/quantizer.h"

// Scales that several channels share, and nvfp4's scale of the tensor: what must be known of a
// matrix before its first channel can be quantised. They come from its finite elements.

namespace narrowgauge::internal {

// Returns the scale of each group of a layout that is shared, by GroupLayout::GroupOf. A range that
// cannot be had from extremes alone gathers the whole matrix in memory.
[[nodiscard]] std::vector<GroupScale> FindSharedScales(const GroupRules& rules,
                                                       const GroupLayout& layout,
                                                       const ChannelSource& source,
                                                       const QuantizerOptions& options);

// Returns the range of all finite elements.
[[nodiscard]] Range FindTensorRange(const ChannelSource& source, const QuantizerOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_SHARED_SCALES_H_
