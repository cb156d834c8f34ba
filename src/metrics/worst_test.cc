#include "src/metrics/worst.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

namespace narrowgauge::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Metric& Find(std::string_view name) { return *ParseMetricList(name).value().front(); }

ErrorStatistics Channel(double reference, double value) {
  ErrorStatistics statistics;
  AddErrors({&reference, 1}, {&value, 1}, 0, 1, statistics);
  return statistics;
}

std::vector<std::int64_t> Names(const WorstChannels& worst) {
  std::vector<std::int64_t> names;
  for (const WorstChannel& channel : worst.Channels()) names.push_back(channel.channel);
  return names;
}

TEST(WorstChannelsTest, TheLargestErrorIsWorst) {
  WorstChannels worst(2, Find("max_abs_err"));
  worst.Add(0, Channel(1, 1.5));
  worst.Add(1, Channel(1, 1));
  worst.Add(2, Channel(1, 3));
  worst.Add(3, Channel(1, 2));
  EXPECT_THAT(Names(worst), testing::ElementsAre(2, 3));
  EXPECT_EQ(worst.Channels()[0].value.value, 2);
  EXPECT_EQ(worst.Channels()[0].statistics.max_abs, 2);
}

TEST(WorstChannelsTest, TheLowestSqnrIsWorst) {
  WorstChannels worst(2, Find("sqnr_db"));
  worst.Add(0, Channel(1, 1.5));
  worst.Add(1, Channel(1, 1.25));
  worst.Add(2, Channel(1, 3));
  EXPECT_THAT(Names(worst), testing::ElementsAre(2, 0));
}

TEST(WorstChannelsTest, TiesGoToTheLowerChannel) {
  WorstChannels worst(2, Find("max_abs_err"));
  for (const std::int64_t channel : {5, 3, 9, 4}) worst.Add(channel, Channel(1, 2));
  EXPECT_THAT(Names(worst), testing::ElementsAre(3, 4));
}

TEST(WorstChannelsTest, ANonFiniteResultIsWorstAnExactOneBestAndNoValueHasNoRank) {
  WorstChannels worst(9, Find("sqnr_db"));
  worst.Add(0, Channel(1, 1));          // Exact.
  worst.Add(1, Channel(0, 1));          // Zero signal.
  worst.Add(2, Channel(1, kInfinity));  // Nonfinite result.
  worst.Add(3, Channel(1, 2));
  worst.Add(4, ErrorStatistics{});
  EXPECT_THAT(Names(worst), testing::ElementsAre(2, 3, 0));
}

TEST(WorstChannelsTest, ALimitOfZeroKeepsNothing) {
  WorstChannels worst(0, Find("max_abs_err"));
  worst.Add(0, Channel(1, 2));
  EXPECT_TRUE(worst.Channels().empty());
}

TEST(WorstChannelsTest, NeitherOrderNorPartsMatter) {
  std::mt19937_64 bits(7);
  std::vector<std::int64_t> channels(300);
  std::vector<ErrorStatistics> statistics;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    channels[i] = static_cast<std::int64_t>(i);
    statistics.push_back(Channel(1, static_cast<double>(bits() % 40)));  // Many ties.
  }
  std::vector<std::int64_t> expected = channels;
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    return statistics[static_cast<std::size_t>(a)].max_abs >
           statistics[static_cast<std::size_t>(b)].max_abs;
  });
  expected.resize(10);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(channels.begin(), channels.end(), bits);
    std::vector<WorstChannels> parts(3, WorstChannels(10, Find("max_abs_err")));
    for (std::size_t i = 0; i < channels.size(); ++i) {
      parts[i % 3].Add(channels[i], statistics[static_cast<std::size_t>(channels[i])]);
    }
    parts[2].Merge(parts[0]);
    parts[2].Merge(parts[1]);
    EXPECT_EQ(Names(parts[2]), expected);
  }
}

}  // namespace
}  // namespace narrowgauge::internal
