#include "src/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace narrowgauge::internal {
namespace {

// The number of letters to insert, delete, replace or swap with the next one ("optimal string
// alignment"), three rows at a time.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;  // The row of i - 2, of i - 1, and of i.
  std::vector<std::size_t> last(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last[b.size()];
}

// Names in a hostile file can be megabytes long; beyond this no distance is worth its time.
constexpr std::size_t kLongestCompared = 512;

// A word shorter than this is in too many names to tell anything.
constexpr std::size_t kShortestContained = 3;

}  // namespace

std::vector<std::string_view> NearestNames(std::string_view wanted,
                                           std::span<const std::string_view> names,
                                           std::size_t limit) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view name : names) {
    if (std::max(name.size(), wanted.size()) > kLongestCompared) continue;
    const std::size_t distance = EditDistance(wanted, name);
    const bool contains =
        wanted.size() >= kShortestContained && name.find(wanted) != std::string_view::npos;
    if (contains || 2 * distance <= wanted.size()) ranked.emplace_back(distance, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> nearest;
  for (std::size_t i = 0; i < std::min(limit, ranked.size()); ++i) {
    nearest.push_back(ranked[i].second);
  }
  return nearest;
}

std::string UnknownName(std::string_view what, std::string_view wanted,
                        std::span<const std::string_view> names) {
  const auto nearest = NearestNames(wanted, names, 1);
  return fmt::format("unknown {}; expected one of {}{}: \"{}\"", what, fmt::join(names, ", "),
                     nearest.empty() ? "" : fmt::format(" (nearest: {})", nearest[0]), wanted);
}

}  // namespace narrowgauge::internal
