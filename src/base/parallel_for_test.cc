#include "src/base/parallel_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
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

TEST(ParallelForTest, ExceptionsReachTheCaller) {
  for (const int threads : {1, 2, 8}) {
    const auto fail_at_500 = [](std::int64_t i) {
      if (i == 500) throw std::bad_alloc();
    };
    EXPECT_THROW(ParallelFor(1000, threads, fail_at_500), std::bad_alloc) << threads << " threads";
    const auto always_fail = [](std::int64_t) { throw std::bad_alloc(); };
    EXPECT_THROW(ParallelFor(1000, threads, always_fail), std::bad_alloc) << threads << " threads";
  }
}

}  // namespace
}  // namespace narrowgauge::internal
