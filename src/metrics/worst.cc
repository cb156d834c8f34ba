#include "src/metrics/worst.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

// Returns a number that is larger where the value is worse, or none where it has no rank.
std::optional<double> Badness(const MetricValue& value, BetterWhen better) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.value) return better == BetterWhen::kLower ? *value.value : -*value.value;
  if (value.reason == "nonfinite result" || value.reason == "beyond float64") return kInfinity;
  if (value.reason == "exact") return -kInfinity;
  return std::nullopt;
}

}  // namespace

void WorstChannels::Add(std::int64_t channel, const ErrorStatistics& statistics) {
  if (limit_ == 0) return;
  const MetricValue value = metric_->compute(statistics);
  if (Badness(value, metric_->better)) Insert({channel, value, statistics});
}

void WorstChannels::Merge(const WorstChannels& other) {
  NG_CHECK(other.limit_ == limit_ && other.metric_ == metric_);
  for (const WorstChannel& channel : other.channels_) Insert(channel);
}

void WorstChannels::Insert(const WorstChannel& candidate) {
  const auto worse = [this](const WorstChannel& a, const WorstChannel& b) {
    const double badness_a = *Badness(a.value, metric_->better);
    const double badness_b = *Badness(b.value, metric_->better);
    return badness_a != badness_b ? badness_a > badness_b : a.channel < b.channel;
  };
  channels_.insert(std::lower_bound(channels_.begin(), channels_.end(), candidate, worse),
                   candidate);
  if (channels_.size() > limit_) channels_.pop_back();
}

}  // namespace narrowgauge::internal
