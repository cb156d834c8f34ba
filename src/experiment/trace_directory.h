#ifndef NARROWGAUGE_EXPERIMENT_TRACE_DIRECTORY_H_
#define NARROWGAUGE_EXPERIMENT_TRACE_DIRECTORY_H_

#include <cstdint>
#include <string>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// Returns where traces go, absolute and without "." and "..": the directory given, else
// $TPU_TRACE_DIR, else ./tpu-xprof-trace; empty counts as not given. "~" and "~/…" stand for $HOME;
// without it they are refused with kInvalidArgument. Touches no file.
[[nodiscard]] Result<std::string> ResolveTraceDirectory(const std::string& given);

// Returns how many files below a directory end in .xplane.pb. Directories that may not be read
// count none.
[[nodiscard]] std::int64_t CountXPlaneFiles(const std::string& directory);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_TRACE_DIRECTORY_H_
