#include "src/experiment/jax_mean.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kSide = kMeanSide;
constexpr std::size_t kCount = kSide * kSide;
constexpr std::size_t kWindow = 32;  // XLA's tree-reduction rewriter reduces 32 x 32 at a time.

// ---- YNNPACK: 16 lanes, each through trees of radix 4, four chunks joined by Kahan summation.

constexpr std::size_t kLanes = 16;
using Lanes = std::array<float, kLanes>;

Lanes Add(const Lanes& a, const Lanes& b) {
  Lanes sum;
  for (std::size_t i = 0; i < kLanes; ++i) sum[i] = a[i] + b[i];
  return sum;
}

Lanes Subtract(const Lanes& a, const Lanes& b) {
  Lanes difference;
  for (std::size_t i = 0; i < kLanes; ++i) difference[i] = a[i] - b[i];
  return difference;
}

// Sums `count` (a power of four) consecutive vectors: four quarters, left to right, each alike.
Lanes RadixFourTree(const float* values, std::size_t count) {
  if (count == 1) {
    Lanes lanes;
    std::copy_n(values, kLanes, lanes.begin());
    return lanes;
  }
  const std::size_t quarter = count / 4;
  Lanes sum = RadixFourTree(values, quarter);
  for (std::size_t i = 1; i < 4; ++i) {
    sum = Add(sum, RadixFourTree(values + i * quarter * kLanes, quarter));
  }
  return sum;
}

// Sums lanes by halving: lane i takes lane i + width / 2, until one is left.
template <std::size_t kWidth>
float HalveLanes(std::array<float, kWidth> lanes) {
  for (std::size_t half = kWidth / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

float YnnpackSum(const float* values) {
  constexpr std::size_t kChunks = 4;
  Lanes sum{};
  Lanes compensation{};
  for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
    const Lanes part =
        RadixFourTree(values + chunk * (kCount / kChunks), kCount / kChunks / kLanes);
    const Lanes corrected = Subtract(part, compensation);
    const Lanes total = Add(sum, corrected);
    compensation = Subtract(Subtract(total, sum), corrected);
    sum = total;
  }
  return HalveLanes(sum);
}

// ---- Windows of 32 x 32. `window` points at the first element; rows are kSide apart.

float LeftToRight(const float* window) {
  float sum = 0;
  for (std::size_t row = 0; row < kWindow; ++row) {
    for (std::size_t i = 0; i < kWindow; ++i) sum += window[row * kSide + i];
  }
  return sum;
}

float CarriedLanes(const float* window) {
  float sum = 0;
  for (std::size_t row = 0; row < kWindow; ++row) {
    std::array<float, 8> lanes{sum};
    for (std::size_t i = 0; i < kWindow; ++i) lanes[i % lanes.size()] += window[row * kSide + i];
    sum = HalveLanes(lanes);
  }
  return sum;
}

float RowLanes(const float* window) {
  std::array<float, 8> lanes{};
  for (std::size_t row = 0; row < kWindow; ++row) {
    float sum = 0;
    for (std::size_t i = 0; i < kWindow; ++i) sum += window[row * kSide + i];
    lanes[row % lanes.size()] += sum;
  }
  return HalveLanes(lanes);
}

std::array<float, 4> WindowSums(const float* values, float (*sum_of)(const float*)) {
  return {sum_of(values), sum_of(values + kWindow), sum_of(values + kWindow * kSide),
          sum_of(values + kWindow * kSide + kWindow)};
}

float InSequence(const std::array<float, 4>& sums) {
  return ((sums[0] + sums[1]) + sums[2]) + sums[3];
}

}  // namespace

float JaxMean(std::span<const float> values, MeanOrder order) {
  NG_CHECK(values.size() == kCount);
  constexpr auto kFloatCount = static_cast<float>(kCount);  // A power of two: dividing is exact.
  const float* const data = values.data();
  switch (order) {
    case MeanOrder::kYnnpack:
      return YnnpackSum(data) / kFloatCount;
    case MeanOrder::kWindowsPairwise: {
      const auto sums = WindowSums(data, LeftToRight);
      return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / kFloatCount;
    }
    case MeanOrder::kWindowsCarriedLanes:
      return InSequence(WindowSums(data, CarriedLanes)) / kFloatCount;
    case MeanOrder::kWindowsRowLanes:
      return InSequence(WindowSums(data, RowLanes)) / kFloatCount;
    case MeanOrder::kFloat64:
      return static_cast<float>(std::accumulate(values.begin(), values.end(), 0.0) /
                                static_cast<double>(kCount));
  }
  return 0;
}

}  // namespace narrowgauge::internal
