#ifndef NARROWGAUGE_BACKENDS_EMULATED_H_
#define NARROWGAUGE_BACKENDS_EMULATED_H_

#include <cstdint>
#include <vector>

#include "narrowgauge/accumulation.h"
#include "src/backends/plain_dot.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// Returns channels side by side, as kernels take them: channel i, rows[i * depth ...], in column i
// for i in `kept`, and zeros in the others.
[[nodiscard]] std::vector<float> PackPanel(const float* rows, std::int64_t depth,
                                           const std::vector<std::int64_t>& kept);

// out[m][n] = x[m] * w[n] as the model sums it, for rows x[m] of K elements and up to kPanelColumns
// channels: `panel` holds the channels as kernels take them, zeros beside them. out has row stride
// kPanelColumns. The bits are PlainDot's, on every instruction set.
void EmulatePanel(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                  const float* x, std::int64_t rows, std::int64_t depth, const float* panel,
                  double* out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_EMULATED_H_
