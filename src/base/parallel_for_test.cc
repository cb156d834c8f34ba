#include "src/base/parallel_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace narrowgauge::internal {
namespace {

TEST(ParallelForTest, RunsEachIndexOnceOnAnyNumberOfThreads) {
  for (const int threads : {0, 1, 2, 3, 64}) {
    std::vector<int> hits(1000, 0);
    ParallelFor(1000, threads, [&](std::int64_t i) { ++hits[static_cast<std::size_t>(i)]; });
    EXPECT_THAT(hits, testing::Each(1)) << threads << " threads";
  }
}

TEST(ParallelForTest, DoesNothingForAnEmptyRange) {
  ParallelFor(0, 4, [](std::int64_t) { FAIL(); });
}

TEST(ParallelForTest, ReportsEveryFinishedIndexWithOneThread) {
  std::vector<std::int64_t> seen;
  ParallelFor(
      3, 1, [](std::int64_t) {}, [&](std::int64_t done) { seen.push_back(done); });
  EXPECT_THAT(seen, testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace narrowgauge::internal
