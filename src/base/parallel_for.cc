#include "src/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace narrowgauge::internal {

void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(std::int64_t)>& progress) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> finished{0};
  const auto work = [&](bool report) {
    for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      body(i);
      const std::int64_t done = finished.fetch_add(1) + 1;
      if (report && progress) progress(done);
    }
  };
  std::vector<std::jthread> helpers;
  for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) {
    helpers.emplace_back(work, false);
  }
  work(true);
}

}  // namespace narrowgauge::internal
