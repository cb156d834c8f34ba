#ifndef NARROWGAUGE_XPLANE_FROM_RECORDING_H_
#define NARROWGAUGE_XPLANE_FROM_RECORDING_H_

#include <string>

#include "narrowgauge/xplane.h"
#include "src/trace/recorder.h"

namespace narrowgauge::internal {

// Returns a recording as XProf expects a host: a plane with a line for each thread, its times from
// the start of the profile, and the task environment with that start and the stop. The host's name
// is listed as it stands.
[[nodiscard]] XSpace XSpaceFromRecording(const Recording& recording, const std::string& host);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_FROM_RECORDING_H_
