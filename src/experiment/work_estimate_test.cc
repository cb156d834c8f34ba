#include "src/experiment/work_estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "narrowgauge/sweep.h"

namespace narrowgauge {
namespace {

MeasureOptions OfRandom(RandomShape shape, std::vector<WorkEstimate>& estimates) {
  MeasureOptions options;
  options.policies = {{"float32", {}}, {"float16", {.output = DType::kFloat16}}};
  options.random = shape;
  options.estimate = [&estimates](const WorkEstimate& work) { estimates.push_back(work); };
  return options;
}

TEST(WorkEstimateTest, CountsMultiplyAddsOfAllPoliciesOnce) {
  std::vector<WorkEstimate> estimates;
  ASSERT_TRUE(Measure(OfRandom({200, 4096, 64}, estimates)).has_value());
  ASSERT_EQ(estimates.size(), 1U);
  EXPECT_EQ(estimates[0].multiply_adds, 2.0 * 200 * 4096 * 64);
  EXPECT_GT(estimates[0].seconds, 0);
  EXPECT_TRUE(std::isfinite(estimates[0].seconds));
}

TEST(WorkEstimateTest, CountsAllPointsOfASweep) {
  std::vector<WorkEstimate> estimates;
  const MeasureOptions options = OfRandom({200, 4096, 64}, estimates);
  ASSERT_TRUE(MeasureSweep(options, ParseSweep("k=1024,2000,4000").value()).has_value());
  ASSERT_EQ(estimates.size(), 1U);
  EXPECT_EQ(estimates[0].multiply_adds, 2.0 * 200 * (1024 + 2000 + 4000) * 64);
  // Two policies at two values each.
  ASSERT_TRUE(MeasureSweep(options, ParseSweep("block=8,16").value()).has_value());
  ASSERT_EQ(estimates.size(), 2U);
  EXPECT_EQ(estimates[1].multiply_adds, 2.0 * 2 * 200 * 4096 * 64);
}

TEST(WorkEstimateTest, SaysNothingOfAMomentsWorkOrOfWeights) {
  std::vector<WorkEstimate> estimates;
  ASSERT_TRUE(Measure(OfRandom({200, 3800, 64}, estimates)).has_value());
  MeasureOptions weights = OfRandom({200, 4096, 64}, estimates);
  weights.error_of = ErrorOf::kWeights;
  ASSERT_TRUE(Measure(weights).has_value());
  EXPECT_TRUE(estimates.empty());
}

}  // namespace
}  // namespace narrowgauge
