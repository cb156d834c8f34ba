#ifndef NARROWGAUGE_EXPERIMENT_JAX_MEAN_H_
#define NARROWGAUGE_EXPERIMENT_JAX_MEAN_H_

#include <span>

#include "narrowgauge/numerics_profile.h"

namespace narrowgauge::internal {

// The shape of the tutorial's errors, whose mean XLA sums in an order of its own.
inline constexpr int kMeanSide = 64;

// Returns the float32 mean of kMeanSide x kMeanSide values, row-major, summed in `order`: the bits
// of jnp.mean on an x86-64 CPU. Orders were found by probing XLA with values that cancel.
[[nodiscard]] float JaxMean(std::span<const float> values, MeanOrder order);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_JAX_MEAN_H_
