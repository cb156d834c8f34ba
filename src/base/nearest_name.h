#ifndef NARROWGAUGE_BASE_NEAREST_NAME_H_
#define NARROWGAUGE_BASE_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace narrowgauge::internal {

// Returns up to `limit` of `names`, nearest to `wanted` first, by edit distance (two swapped
// letters are one step) with ties in the order given. Names farther than half of `wanted`'s length
// are left out, unless they contain it and it has three letters or more.
[[nodiscard]] std::vector<std::string_view> NearestNames(std::string_view wanted,
                                                         std::span<const std::string_view> names,
                                                         std::size_t limit);

// Returns "unknown WHAT; expected one of A, B, C (nearest: B): \"WANTED\"".
[[nodiscard]] std::string UnknownName(std::string_view what, std::string_view wanted,
                                      std::span<const std::string_view> names);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_NEAREST_NAME_H_
