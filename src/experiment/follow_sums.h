#ifndef NARROWGAUGE_EXPERIMENT_FOLLOW_SUMS_H_
#define NARROWGAUGE_EXPERIMENT_FOLLOW_SUMS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// Compares outputs with those of the depth before.
class FollowSums {
 public:
  // kResourceExhausted for more outputs than this machine's memory holds.
  [[nodiscard]] static Result<void> CheckMemory(std::size_t policies, std::int64_t m,
                                                std::int64_t n);

  FollowSums(std::size_t policies, std::int64_t m, std::int64_t n);

  // Takes a channel's outputs under a policy and what they should be, [m]: each once per depth, the
  // policies of a channel on one thread.
  void Take(std::size_t policy, std::int64_t channel, std::span<const double> reference,
            std::span<const double> result);

  // Returns how many outputs of a policy did not change although what they should be did, and how
  // many changed or are not finite; of the first depth 0 and 0.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> Counts(std::size_t policy) const;

  // Goes to the next depth.
  void Advance();

 private:
  struct Policy {
    std::vector<double> results;  // [n][m], of this depth where taken, else of the one before.
    std::atomic<std::int64_t> unchanged = 0;
    std::atomic<std::int64_t> changed = 0;
  };

  std::size_t m_;
  std::vector<Policy> policies_;
  std::vector<double> references_, references_before_;  // [n][m]
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_FOLLOW_SUMS_H_
