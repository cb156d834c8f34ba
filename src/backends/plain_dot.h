#ifndef NARROWGAUGE_BACKENDS_PLAIN_DOT_H_
#define NARROWGAUGE_BACKENDS_PLAIN_DOT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "narrowgauge/accumulation.h"

namespace narrowgauge::internal {

// The smallest exponents that the types of the factors have, for the exponents of subnormals.
struct FactorExponents {
  int x = -126;
  int w = -126;
};

// Of that many slices of `depth` k, how many have to be looked at: those that are not empty, and of
// the empty ones one, which makes -0 of a sum +0.
[[nodiscard]] std::int64_t SlicesThatMatter(std::int64_t slices, std::int64_t depth);

// Returns the integer from -2^31 to 2^31 - 1 that an integer below 2^53 is modulo 2^32.
[[nodiscard]] double WrapToInt32(double sum);

// Returns the parts of each value, the largest first: what a pass takes in place of a factor. Of
// what is not finite all parts but the first are NaN.
[[nodiscard]] std::vector<std::vector<float>> SplitIntoParts(const MultiPass& multi_pass,
                                                             std::span<const float> values);

// Returns the sum of x[k] * w[k] as the model has it, from +0: step by step, for any model. What is
// faster is tested against this. Factors are values of float32 or of narrower types, so that their
// products are exact in float64.
[[nodiscard]] double PlainDot(const DotModel& model, std::span<const float> x,
                              std::span<const float> w, const FactorExponents& exponents = {});

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_PLAIN_DOT_H_
