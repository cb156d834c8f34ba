#ifndef NARROWGAUGE_XPLANE_READ_H_
#define NARROWGAUGE_XPLANE_READ_H_

#include <string>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// Returns the bytes of a .xplane.pb file. Refused, with what is known about the cause: what is no
// regular file, an empty file, one that is compressed, and one too large to be read by anyone.
[[nodiscard]] Result<std::string> ReadXPlaneFile(const std::string& path);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_READ_H_
