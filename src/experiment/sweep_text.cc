#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "narrowgauge/sweep.h"
#include "src/base/checked_math.h"
#include "src/policy/words.h"

namespace narrowgauge {
namespace {

using internal::ParseCount;
using internal::RefuseText;
using internal::SplitAtFirst;
using internal::SplitText;
using internal::Word;

constexpr Word<SweepAxis> kAxes[] = {
    {"k", SweepAxis::kK}, {"block", SweepAxis::kBlock}, {"split-k", SweepAxis::kSplitK}};

constexpr std::string_view kRange = "..";

Result<void> Add(std::int64_t value, std::string_view text, std::vector<std::int64_t>& values) {
  if (!values.empty() && value <= values.back()) {
    return RefuseText(
        fmt::format("values of a sweep ascend; {} follows {}: \"{}\"", value, values.back(), text));
  }
  if (static_cast<std::int64_t>(values.size()) == kMostSweepValues) {
    return RefuseText(fmt::format("a sweep has up to {} values: \"{}\"", kMostSweepValues, text));
  }
  values.push_back(value);
  return {};
}

std::int64_t NextPowerOfTwo(std::int64_t value) {
  std::int64_t power = 1;
  while (power <= value) power *= 2;  // Called below the end of a range, which int64 holds.
  return power;
}

// A range's values but the last.
Result<void> AddRange(std::int64_t first, std::int64_t last, std::optional<std::int64_t> step,
                      std::string_view text, std::vector<std::int64_t>& values) {
  for (std::optional<std::int64_t> value = first; value && *value < last;) {
    if (const auto added = Add(*value, text, values); !added) return added;
    if (step) {
      value = internal::CheckedAdd(*value, *step);
    } else {
      value = *value > INT64_MAX / 2 ? std::nullopt : std::optional(NextPowerOfTwo(*value));
    }
  }
  return {};
}

Result<void> ReadPiece(std::string_view piece, std::string_view text,
                       std::vector<std::int64_t>& values) {
  const std::size_t dots = piece.find(kRange);
  const auto first = ParseCount("a value of a sweep", piece.substr(0, dots));
  if (!first) return tl::unexpected(first.error());
  if (dots == std::string_view::npos) return Add(*first, text, values);
  const auto [last_text, step_text] = SplitAtFirst(piece.substr(dots + kRange.size()), ':');
  const auto last = ParseCount("the end of a range", last_text);
  if (!last) return tl::unexpected(last.error());
  if (*last < *first) {
    return RefuseText(fmt::format("a range ascends, as in {}..{}: \"{}\"", *last, *first, text));
  }
  std::optional<std::int64_t> step;
  if (step_text) {
    const auto read = ParseCount("the step of a range", *step_text);
    if (!read) return tl::unexpected(read.error());
    step = *read;
  }
  if (const auto added = AddRange(*first, *last, step, text, values); !added) return added;
  const bool ends_on_a_step = !step || (*last - *first) % *step == 0;
  if (!ends_on_a_step) return {};
  return Add(*last, text, values);
}

}  // namespace

std::string_view SweepAxisName(SweepAxis axis) { return internal::WordOf(axis, kAxes); }

Result<Sweep> ParseSweep(std::string_view text) {
  const auto [axis_text, values_text] = SplitAtFirst(text, '=');
  const auto axis = internal::ParseWord("thing to sweep", axis_text, kAxes);
  if (!axis) return tl::unexpected(axis.error());
  if (!values_text || values_text->empty()) {
    return RefuseText(
        fmt::format("a sweep needs values, as in {}=64..4096 or {}=64,100,128: \"{}\"", axis_text,
                    axis_text, text));
  }
  Sweep sweep{*axis, {}};
  for (const std::string_view piece : SplitText(*values_text, ',')) {
    if (const auto read = ReadPiece(piece, text, sweep.values); !read) {
      return tl::unexpected(read.error());
    }
  }
  return sweep;
}

}  // namespace narrowgauge
