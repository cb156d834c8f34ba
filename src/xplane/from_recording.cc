#include "src/xplane/from_recording.h"

#include "src/xplane/names.h"

namespace narrowgauge::internal {
namespace {

XEvent EventFrom(const RecordedEvent& recorded) {
  XEvent event{recorded.name, recorded.start_ps, recorded.duration_ps, {}};
  event.stats.reserve(recorded.stats.size());
  for (const RecordedStat& stat : recorded.stats) event.stats.push_back({stat.name, stat.value});
  return event;
}

XPlane HostPlane(const Recording& recording) {
  XPlane plane;
  plane.id = 1;
  plane.name = kHostCpuPlane;
  for (const RecordedThread& thread : recording.threads) {
    XLine& line = plane.lines.emplace_back();
    line.id = thread.id;
    line.name = thread.name;
    for (const RecordedEvent& event : thread.events) line.events.push_back(EventFrom(event));
  }
  return plane;
}

XPlane TaskEnvironment(const Recording& recording) {
  XPlane plane;
  plane.id = 2;
  plane.name = kTaskEnvironmentPlane;
  plane.stats = {
      {std::string(kProfileStartTime), static_cast<std::uint64_t>(recording.start_ns)},
      {std::string(kProfileStopTime), static_cast<std::uint64_t>(recording.stop_ns)},
  };
  return plane;
}

}  // namespace

XSpace XSpaceFromRecording(const Recording& recording, const std::string& host) {
  XSpace space;
  space.planes = {HostPlane(recording), TaskEnvironment(recording)};
  space.hostnames = {host};
  return space;
}

}  // namespace narrowgauge::internal
