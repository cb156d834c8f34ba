#ifndef NARROWGAUGE_APPS_FLAGS_H_
#define NARROWGAUGE_APPS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/report.h"
#include "narrowgauge/status.h"

// Flags that mean the same with every verb.

namespace narrowgauge::app {

struct ReportFlags {
  std::string format;
  std::string out;
  bool quiet = false;
};

struct SharedFlags : ReportFlags {
  std::string isa;
  std::int64_t threads = 0;  // 0: as many as the machine has.
};

// Adds an int64 option; its value before is the default. What does not fit is refused: CLI11 itself
// would take the nearest number that does.
void AddInteger(CLI::App& command, const std::string& name, const std::string& help,
                std::int64_t& value);

// Adds --format, --out and --quiet. `formats` is shown in the help.
void AddReportFlags(CLI::App& command, std::string_view formats, ReportFlags& flags);

// Adds those, --isa and --threads.
void AddSharedFlags(CLI::App& command, std::string_view formats, SharedFlags& flags);

// Returns the number of threads to use; kInvalidArgument if --threads makes no sense.
[[nodiscard]] Result<int> ThreadCount(const SharedFlags& flags);

// Writes a verb's result to --out, whole or not at all, else to standard output.
[[nodiscard]] Result<void> WriteResult(const ReportFlags& flags, std::string_view text);

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_FLAGS_H_
