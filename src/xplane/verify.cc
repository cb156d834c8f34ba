#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "narrowgauge/xplane.h"
#include "src/base/checked_math.h"
#include "src/xplane/names.h"
#include "src/xplane/read.h"

namespace narrowgauge {
namespace internal {
namespace {

constexpr std::int64_t kPsPerNs = 1000;

// Returns a stat's value if there is one of that name and it is an integer that fits.
std::optional<std::int64_t> IntegerStat(const std::vector<XStat>& stats, std::string_view name) {
  const auto found = std::find_if(stats.begin(), stats.end(),
                                  [&](const XStat& stat) { return stat.name == name; });
  if (found == stats.end()) return std::nullopt;
  if (const auto* value = std::get_if<std::int64_t>(&found->value)) return *value;
  if (const auto* value = std::get_if<std::uint64_t>(&found->value);
      value && std::in_range<std::int64_t>(*value)) {
    return static_cast<std::int64_t>(*value);
  }
  return std::nullopt;
}

// An event's place in the profile.
struct Interval {
  std::int64_t begin_ps;
  std::int64_t end_ps;
};

std::optional<Interval> Place(const XLine& line, const XEvent& event) {
  const auto line_ps = CheckedMultiply(line.timestamp_ns, kPsPerNs);
  const auto begin_ps = line_ps ? CheckedAdd(*line_ps, event.offset_ps) : std::nullopt;
  const auto end_ps = begin_ps ? CheckedAdd(*begin_ps, event.duration_ps) : std::nullopt;
  if (!end_ps) return std::nullopt;
  return Interval{*begin_ps, *end_ps};
}

struct Step {
  std::int64_t number;
  Interval interval;
};

tl::unexpected<Error> Unbelievable(const std::string& message) {
  return MakeError(StatusCode::kDataLoss,
                   "the capture does not hold what was recorded: " + message);
}

// Finds the profile's start and stop and holds them to the time of the capture.
Result<void> VerifyTimes(const XSpace& space, const CaptureExpectation& expected,
                         CaptureSummary& summary) {
  const auto plane = std::find_if(space.planes.begin(), space.planes.end(),
                                  [](const XPlane& p) { return p.name == kTaskEnvironmentPlane; });
  if (plane == space.planes.end()) {
    return Unbelievable(fmt::format("it has no plane \"{}\"", kTaskEnvironmentPlane));
  }
  const auto start_ns = IntegerStat(plane->stats, kProfileStartTime);
  const auto stop_ns = IntegerStat(plane->stats, kProfileStopTime);
  if (!start_ns || !stop_ns) {
    return Unbelievable(fmt::format("it lacks {} or {}, in epoch nanoseconds", kProfileStartTime,
                                    kProfileStopTime));
  }
  if (*start_ns < 0 || *start_ns < expected.started_after_ns ||
      *stop_ns > expected.ended_before_ns || *start_ns > *stop_ns) {
    return Unbelievable(
        fmt::format("its profile from {} to {} lies outside the capture from {} to {} "
                    "(epoch nanoseconds); it may be a stale file",
                    *start_ns, *stop_ns, expected.started_after_ns, expected.ended_before_ns));
  }
  summary.profile_start_ns = *start_ns;
  summary.profile_stop_ns = *stop_ns;
  return {};
}

// Holds every event to the profile's time and returns the steps among them.
Result<std::vector<Step>> VerifyEvents(const XSpace& space, CaptureSummary& summary) {
  const auto length_ps =
      CheckedMultiply(summary.profile_stop_ns - summary.profile_start_ns, kPsPerNs);
  if (!length_ps) return Unbelievable("its profile is longer than picoseconds can count");
  std::vector<Step> steps;
  for (const XPlane& plane : space.planes) {
    for (const XLine& line : plane.lines) {
      for (const XEvent& event : line.events) {
        const auto describe = [&](std::string_view what) {
          return Unbelievable(fmt::format("event {} {}: \"{}\" on line \"{}\" of plane \"{}\"",
                                          &event - line.events.data(), what, event.name, line.name,
                                          plane.name));
        };
        if (event.duration_ps < 0) return describe("has a negative duration");
        const auto interval = Place(line, event);
        if (!interval || interval->begin_ps < 0 || interval->end_ps > *length_ps) {
          return describe("lies outside the profile");
        }
        ++summary.events;
        if (IntegerStat(event.stats, kIsRoot) != 1) continue;
        const auto number = IntegerStat(event.stats, kStepNum);
        if (!number) return describe("is a step without step_num");
        steps.push_back({*number, *interval});
      }
    }
  }
  return steps;
}

// Holds the steps to 0 .. expected-1, once each, one after the other.
Result<void> VerifySteps(std::vector<Step> steps, std::int64_t expected, CaptureSummary& summary) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  for (std::int64_t i = 0; i < std::ssize(steps); ++i) {
    const Step& step = steps[static_cast<std::size_t>(i)];
    if (step.number < i) return Unbelievable(fmt::format("a step appears twice: {}", step.number));
    if (step.number > i) return Unbelievable(fmt::format("a step is missing: {}", i));
    summary.step_time_total_ps += step.interval.end_ps - step.interval.begin_ps;
    if (i == 0) continue;
    const Interval& before = steps[static_cast<std::size_t>(i - 1)].interval;
    if (step.interval.begin_ps < before.begin_ps) {
      return Unbelievable(fmt::format("a step begins before the one before it: {}", i));
    }
    if (step.interval.begin_ps < before.end_ps) {
      return Unbelievable(fmt::format("a step begins before the one before it has ended: {}", i));
    }
  }
  summary.steps = std::ssize(steps);
  if (summary.steps < expected)
    return Unbelievable(fmt::format("a step is missing: {}", summary.steps));
  if (summary.steps > expected) {
    return Unbelievable(fmt::format("it has {} steps, expected {}", summary.steps, expected));
  }
  return {};
}

Result<CaptureSummary> VerifySpace(const XSpace& space, const CaptureExpectation& expected,
                                   std::size_t size_bytes) {
  CaptureSummary summary;
  summary.size_bytes = size_bytes;
  return VerifyTimes(space, expected, summary)
      .and_then([&] { return VerifyEvents(space, summary); })
      .and_then([&](std::vector<Step> steps) {
        return VerifySteps(std::move(steps), expected.steps, summary);
      })
      .map([&] { return summary; });
}

}  // namespace
}  // namespace internal

Result<CaptureSummary> VerifyCapture(const std::string& path, const CaptureExpectation& expected) {
  return internal::ReadXPlaneFile(path).and_then([&](const std::string& bytes) {
    return DecodeXSpace(std::as_bytes(std::span(bytes)))
        .and_then([&](const XSpace& space) {
          return internal::VerifySpace(space, expected, bytes.size());
        })
        .map_error([&](Error error) {
          error.message += fmt::format(": \"{}\"", path);
          return error;
        });
  });
}

}  // namespace narrowgauge
