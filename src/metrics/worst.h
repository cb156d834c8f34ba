#ifndef NARROWGAUGE_METRICS_WORST_H_
#define NARROWGAUGE_METRICS_WORST_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge::internal {

struct WorstChannel {
  std::int64_t channel = 0;
  MetricValue value;
  ErrorStatistics statistics;  // For the other metrics of the same channel.
};

// Keeps the channels on which a metric is worst, at most `limit`: the largest value of one that is
// better when lower, else the smallest; ties go to the lower channel. A channel with a nonfinite
// result, or a value beyond float64, is worse than any value; an exact one is better. A channel
// where the metric has no value for another reason is not ranked.
//
// The result does not depend on the order in which channels are added or collectors merged.
class WorstChannels {
 public:
  WorstChannels(std::size_t limit, const Metric& metric) : limit_(limit), metric_(&metric) {}

  // Each channel is added once.
  void Add(std::int64_t channel, const ErrorStatistics& statistics);

  // `other` has the same limit and metric, and none of these channels.
  void Merge(const WorstChannels& other);

  // Worst first.
  [[nodiscard]] std::span<const WorstChannel> Channels() const { return channels_; }

 private:
  void Insert(const WorstChannel& candidate);

  std::size_t limit_;
  const Metric* metric_;
  std::vector<WorstChannel> channels_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_METRICS_WORST_H_
