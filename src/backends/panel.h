#ifndef NARROWGAUGE_BACKENDS_PANEL_H_
#define NARROWGAUGE_BACKENDS_PANEL_H_

#include <cstdint>

#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// Copies `columns` <= kPanelColumns channels of a strided matrix into a panel of `depth` rows and
// pads it with zeros: panel[k][n] = w[k * k_stride + n * n_stride].
void PackPanel(const float* w, std::int64_t k_stride, std::int64_t n_stride, std::int64_t depth,
               std::int64_t columns, float* panel);

// out[m][n] for one panel: float32 inside blocks of `block` consecutive k, each begun at zero, and
// bfloat16 between blocks, one rounding an addition. out holds rows x kPanelColumns values.
void DotBFloat16BetweenBlocks(const Kernels& kernels, const float* x, std::int64_t rows,
                              std::int64_t depth, std::int64_t block, const float* panel,
                              float* out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_PANEL_H_
