#include "src/backends/panel.h"

#include <algorithm>
#include <vector>

#include "src/base/check.h"
#include "src/kernels/plain.h"

namespace narrowgauge::internal {

void PackPanel(const float* w, std::int64_t k_stride, std::int64_t n_stride, std::int64_t depth,
               std::int64_t columns, float* panel) {
  NG_CHECK(columns <= kPanelColumns);
  for (std::int64_t k = 0; k < depth; ++k) {
    float* const row = panel + k * kPanelColumns;
    for (std::int64_t n = 0; n < columns; ++n) row[n] = w[k * k_stride + n * n_stride];
    std::fill(row + columns, row + kPanelColumns, 0.0F);
  }
}

void DotBFloat16BetweenBlocks(const Kernels& kernels, const float* x, std::int64_t rows,
                              std::int64_t depth, std::int64_t block, const float* panel,
                              float* out) {
  NG_CHECK(block > 0);
  std::fill(out, out + rows * kPanelColumns, 0.0F);
  std::vector<float> x_block(static_cast<std::size_t>(rows * std::min(block, depth)));
  std::vector<float> sums(static_cast<std::size_t>(rows * kPanelColumns));
  for (std::int64_t start = 0; start < depth; start += block) {
    const std::int64_t length = std::min(block, depth - start);
    for (std::int64_t m = 0; m < rows; ++m) {
      std::copy_n(x + m * depth + start, length, x_block.data() + m * length);
    }
    kernels.dot_float32(x_block.data(), rows, length, panel + start * kPanelColumns, 0,
                        sums.data());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = static_cast<float>(
          plain::AddRoundedToBFloat16(static_cast<double>(out[i]), static_cast<double>(sums[i])));
    }
  }
}

}  // namespace narrowgauge::internal
