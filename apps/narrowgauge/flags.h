#ifndef NARROWGAUGE_APPS_FLAGS_H_
#define NARROWGAUGE_APPS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/report.h"
#include "narrowgauge/status.h"

// Flags that mean the same with every verb.

namespace narrowgauge::app {

struct SharedFlags {
  std::string format;
  std::string out;
  std::string isa;
  int threads = 0;  // 0: as many as the machine has.
  bool quiet = false;
};

// Adds --format, --out, --isa, --threads and --quiet. `formats` is shown in the help.
void AddSharedFlags(CLI::App& command, std::string_view formats, SharedFlags& flags);

// Returns the number of threads to use.
[[nodiscard]] int ThreadCount(const SharedFlags& flags);

// Writes a verb's result to --out, whole or not at all, else to standard output.
[[nodiscard]] Result<void> WriteResult(const SharedFlags& flags, std::string_view text);

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_FLAGS_H_
