#include "flags.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

namespace narrowgauge::app {

void AddSharedFlags(CLI::App& command, std::string_view formats, SharedFlags& flags) {
  command.add_option("--format", flags.format, fmt::format("How to print the result: {}", formats))
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--out", flags.out, "Write the result to FILE, whole or not at all, instead of standard output")
      ->type_name("FILE");
  command.add_option("--isa", flags.isa,
                  "Instruction set of the kernels: baseline, avx2, avx512, avx512_vnni, avx512_bf16 "
                  "or amx_bf16. Default: $NARROWGAUGE_ISA, else the best of this machine. Results of "
                  "measurements do not depend on it")
      ->type_name("NAME");
  command.add_option("--threads", flags.threads, "Threads to use; 0 is one per core. Results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command.add_flag("--quiet", flags.quiet, "Print nothing but the result and errors");
}

int ThreadCount(const SharedFlags& flags) {
  if (flags.threads > 0) return flags.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<void> WriteResult(const SharedFlags& flags, std::string_view text) {
  if (!flags.out.empty()) return WriteFileAtomically(flags.out, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return MakeError(StatusCode::kDataLoss,
                     fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
  return {};
}

}  // namespace narrowgauge::app
