#include "src/quantize/group_layout.h"

#include <algorithm>

#include "src/base/check.h"

namespace narrowgauge::internal {

GroupLayout LayOutGroups(const QuantizationSpec& spec, std::int64_t depth, std::int64_t channels) {
  GroupLayout layout{.depth = depth, .channels = channels};
  const std::int64_t all_rows = std::max<std::int64_t>(depth, 1);
  const std::int64_t all_columns = std::max<std::int64_t>(channels, 1);
  if (spec.block_format) {
    layout.rows = GetBlockFormatInfo(*spec.block_format).block_size;
    return layout;
  }
  switch (spec.granularity.kind) {
    case GranularityKind::kUnscaled:
    case GranularityKind::kChannel:
      layout.rows = all_rows;
      return layout;
    case GranularityKind::kTensor:
      layout.rows = all_rows;
      layout.columns = all_columns;
      return layout;
    case GranularityKind::kInput:
      layout.columns = all_columns;
      return layout;
    case GranularityKind::kGroup:
      layout.rows = std::min(spec.granularity.rows, all_rows);
      return layout;
    case GranularityKind::kBlock:
      layout.rows = std::min(spec.granularity.rows, all_rows);
      layout.columns = std::min(spec.granularity.columns, all_columns);
      return layout;
  }
  NG_CHECK(false);
}

}  // namespace narrowgauge::internal
