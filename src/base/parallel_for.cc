#include "src/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace narrowgauge::internal {

void ParallelFor(std::int64_t count, int threads, const std::function<void(std::int64_t)>& body,
                 const std::function<void(std::int64_t)>& progress) {
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> finished{0};
  std::mutex mutex;
  std::exception_ptr failure;  // The first.
  const auto work = [&](bool report) {
    try {
      for (std::int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
        body(i);
        const std::int64_t done = finished.fetch_add(1) + 1;
        if (report && progress) progress(done);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      next.store(count);
    }
  };
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::int64_t t = 1; t < std::min<std::int64_t>(threads, count); ++t) {
        helpers.emplace_back(work, false);
      }
    } catch (...) {  // No more threads or memory to be had: those that run will do.
    }
    work(true);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace narrowgauge::internal
