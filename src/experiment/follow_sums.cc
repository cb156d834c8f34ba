#include "src/experiment/follow_sums.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "src/experiment/load_operands.h"

namespace narrowgauge::internal {

Result<void> FollowSums::CheckMemory(std::size_t policies, std::int64_t m, std::int64_t n) {
  const double needed = sizeof(double) * static_cast<double>(m) * static_cast<double>(n) *
                        static_cast<double>(policies + 2);
  if (needed <= PhysicalMemory()) return {};
  return MakeError(
      StatusCode::kResourceExhausted,
      fmt::format("not enough memory to follow the sums of a sweep; fewer policies or smaller "
                  "sizes are needed: M x N = {} x {} under {} policies needs {:.0f} bytes",
                  m, n, policies, needed));
}

FollowSums::FollowSums(std::size_t policies, std::int64_t m, std::int64_t n)
    : m_(static_cast<std::size_t>(m)),
      policies_(policies),
      references_(m_ * static_cast<std::size_t>(n), std::numeric_limits<double>::quiet_NaN()),
      references_before_(references_) {
  for (Policy& policy : policies_) policy.results.resize(references_.size());
}

void FollowSums::Take(std::size_t policy, std::int64_t channel, std::span<const double> reference,
                      std::span<const double> result) {
  Policy& of = policies_[policy];
  std::int64_t unchanged = 0;
  std::int64_t changed = 0;
  for (std::size_t m = 0; m < m_; ++m) {
    const std::size_t at = static_cast<std::size_t>(channel) * m_ + m;
    const double before = references_before_[at];
    if (!std::isnan(before) && !std::isnan(reference[m])) {
      if (result[m] != of.results[at] || !std::isfinite(result[m])) {
        ++changed;
      } else if (reference[m] != before) {
        ++unchanged;
      }
    }
    of.results[at] = result[m];
    references_[at] = reference[m];
  }
  of.unchanged += unchanged;
  of.changed += changed;
}

std::pair<std::int64_t, std::int64_t> FollowSums::Counts(std::size_t policy) const {
  return {policies_[policy].unchanged, policies_[policy].changed};
}

void FollowSums::Advance() {
  references_before_.swap(references_);
  for (Policy& policy : policies_) policy.unchanged = policy.changed = 0;
}

}  // namespace narrowgauge::internal
