#ifndef NARROWGAUGE_EXPERIMENT_MEASURE_H_
#define NARROWGAUGE_EXPERIMENT_MEASURE_H_

#include <memory>
#include <span>
#include <vector>

#include "narrowgauge/experiment.h"
#include "narrowgauge/status.h"
#include "src/experiment/load_operands.h"
#include "src/kernels/kernels.h"
#include "src/quantize/quantizer.h"

// Steps of Measure, for those who begin as it does.

namespace narrowgauge::internal {

// A policy and the quantizer that it has for these weights.
struct ReadyPolicy {
  NamedPolicy named;
  std::unique_ptr<Quantizer> weights;
};

// The options' policies, or the tutorial's if there are none. kInvalidArgument for one whose
// product is asked for and not supported, the one for M = 1 included.
[[nodiscard]] Result<std::span<const NamedPolicy>> PoliciesOf(const MeasureOptions& options);

// Those of `policies` that a product of M rows has: all, or instead of them the one for M = 1.
[[nodiscard]] std::span<const NamedPolicy> PoliciesFor(const MeasureOptions& options,
                                                       std::span<const NamedPolicy> policies,
                                                       const Operands& operands);

// Errors as of MakeQuantizer.
[[nodiscard]] Result<ReadyPolicy> MakeReady(const NamedPolicy& policy, const Operand& weights,
                                            const MeasureOptions& options);

[[nodiscard]] Result<std::vector<ReadyPolicy>> MakeReady(std::span<const NamedPolicy> policies,
                                                         const Operand& weights,
                                                         const MeasureOptions& options);

// Whether no element of a channel is NaN or infinite.
[[nodiscard]] bool AllFinite(const Kernels& kernels, std::span<const float> channel);
[[nodiscard]] bool AllFinite(const Kernels& kernels, std::span<const double> channel);

// Measures the policies; of the options, those that name operands or policies are not looked at.
[[nodiscard]] Result<MeasureResult> MeasureOperands(const Operands& operands,
                                                    std::span<const ReadyPolicy> policies,
                                                    const MeasureOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_MEASURE_H_
