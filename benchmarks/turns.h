#ifndef NARROWGAUGE_BENCHMARKS_TURNS_H_
#define NARROWGAUGE_BENCHMARKS_TURNS_H_

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace narrowgauge {

// What a call takes.
template <typename Body>
double SecondsOf(const Body& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// Work and its limit, turn by turn: their ratio holds where the machine's speed drifts.
class Turns {
 public:
  // Runs the limit, then the work, and returns the seconds of the work.
  template <typename Limit, typename Work>
  double Take(const Limit& limit, const Work& work) {
    const double limit_s = SecondsOf(limit);
    const double work_s = SecondsOf(work);
    limit_s_.push_back(limit_s);
    work_s_.push_back(work_s);
    shares_.push_back(limit_s / work_s);
    return work_s;
  }

  // The rate of the work and of its limit for so many bytes, and the share of the limit with its
  // spread: medians; best_share is that of the shortest times, which other programs disturb least.
  void Report(double bytes, benchmark::State& state) {
    if (shares_.empty()) return;
    state.counters["median_ms"] = MedianOf(work_s_) * 1e3;
    state.counters["GB/s"] = bytes / MedianOf(work_s_) * 1e-9;
    state.counters["limit_GB/s"] = bytes / MedianOf(limit_s_) * 1e-9;
    state.counters["share"] = MedianOf(shares_);
    state.counters["best_share"] =
        *std::ranges::min_element(limit_s_) / *std::ranges::min_element(work_s_);
    state.counters["share_min"] = *std::ranges::min_element(shares_);
    state.counters["share_max"] = *std::ranges::max_element(shares_);
  }

 private:
  std::vector<double> limit_s_, work_s_, shares_;
};

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BENCHMARKS_TURNS_H_
