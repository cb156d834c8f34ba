#ifndef NARROWGAUGE_BACKENDS_EMULATED_H_
#define NARROWGAUGE_BACKENDS_EMULATED_H_

#include <cstdint>
#include <span>

#include "narrowgauge/accumulation.h"
#include "src/backends/plain_dot.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// out[m][n] = x[m] * w[n] as the model sums it, for rows x[m] of K elements and up to kPanelColumns
// channels: `panel` holds the channels as kernels take them, zeros beside them. out has row stride
// kPanelColumns. The bits are PlainDot's, on every instruction set.
void EmulatePanel(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                  const float* x, std::int64_t rows, std::int64_t depth, const float* panel,
                  double* out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_EMULATED_H_
