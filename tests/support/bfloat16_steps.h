#ifndef NARROWGAUGE_TESTS_SUPPORT_BFLOAT16_STEPS_H_
#define NARROWGAUGE_TESTS_SUPPORT_BFLOAT16_STEPS_H_

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/kernels/kernels.h"
#include "src/kernels/plain.h"
#include "src/numerics/sum_format.h"

namespace narrowgauge::internal {

// Holds one step of a fused chain of bfloat16 to the exact sum, rounded once: for all factors'
// significands and every `stride`-th of the sum's, at all distances at which they meet and some
// beyond.
inline void ExpectExactBFloat16Steps(const Kernels& kernels, int stride) {
  constexpr int kSignificands = 128;  // From 128 on.
  constexpr int kFarthest = 28;
  const SumFormat format = SumFormatOf(DType::kBFloat16);
  std::vector<float> x(kSignificands);
  for (int u = 0; u < kSignificands; ++u)
    x[static_cast<std::size_t>(u)] = static_cast<float>(128 + u);
  std::vector<double> sums(static_cast<std::size_t>(kSignificands * kPanelColumns));
  std::vector<float> panel(static_cast<std::size_t>(kPanelColumns));
  for (int distance = -kFarthest; distance <= kFarthest; ++distance) {
    for (int significand = 128 + (distance + kFarthest) % stride; significand < 256;
         significand += stride) {
      for (const int sign : {1, -1}) {
        const double before = std::ldexp(sign * significand, distance + 7);
        for (int first = 128; first < 256; first += static_cast<int>(kPanelColumns)) {
          for (std::size_t n = 0; n < panel.size(); ++n)
            panel[n] = static_cast<float>(first + static_cast<int>(n));
          for (double& sum : sums) sum = before;
          kernels.add_chain(x.data(), kSignificands, 1, panel.data(), {.count = 1}, format, false,
                            sums.data());
          for (std::size_t i = 0; i < sums.size(); ++i) {
            const double product = static_cast<double>(x[i / panel.size()]) *
                                   static_cast<double>(panel[i % panel.size()]);
            ASSERT_EQ(sums[i], plain::RoundToSum(before + product, format))
                << before << " + " << product;
          }
        }
      }
    }
  }
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_TESTS_SUPPORT_BFLOAT16_STEPS_H_
