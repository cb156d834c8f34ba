#include "flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <thread>

namespace narrowgauge::app {
namespace {

constexpr std::int64_t kMostThreads = 1024;

}  // namespace

void AddInteger(CLI::App& command, const std::string& name, const std::string& help,
                std::int64_t& value) {
  const auto parse = [&value, name](const std::string& text) {
    std::int64_t parsed = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, parsed);
    if (error != std::errc() || rest != end) {
      throw CLI::ConversionError(
          fmt::format("{} takes a whole number from -2^63 to 2^63-1: \"{}\"", name, text));
    }
    value = parsed;
  };
  command.add_option_function<std::string>(name, parse, help)
      ->type_name("N")
      ->default_str(std::to_string(value));
}

void AddReportFlags(CLI::App& command, std::string_view formats, ReportFlags& flags) {
  command.add_option("--format", flags.format, fmt::format("How to print the result: {}", formats))
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--out", flags.out,
                  "Write the result to FILE, whole or not at all, instead of standard output")
      ->type_name("FILE");
  command.add_flag("--quiet", flags.quiet, "Print nothing but the result and errors");
}

void AddSharedFlags(CLI::App& command, std::string_view formats, SharedFlags& flags) {
  AddReportFlags(command, formats, flags);
  command
      .add_option(
          "--isa", flags.isa,
          "Instruction set of the kernels: baseline, avx2, avx512, avx512_vnni, avx512_bf16 "
          "or amx_bf16. Default: $NARROWGAUGE_ISA, else the best of this machine. Results of "
          "measurements do not depend on it")
      ->type_name("NAME");
  AddInteger(command, "--threads", "Threads to use; 0 is one per core. Results do not depend on it",
             flags.threads);
}

Result<int> ThreadCount(const SharedFlags& flags) {
  if (flags.threads < 0 || flags.threads > kMostThreads) {
    return MakeError(
        StatusCode::kInvalidArgument,
        fmt::format("--threads takes 0 (one per core) to {}: {}", kMostThreads, flags.threads));
  }
  if (flags.threads > 0) return static_cast<int>(flags.threads);
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<void> WriteResult(const ReportFlags& flags, std::string_view text) {
  if (!flags.out.empty()) return WriteFileAtomically(flags.out, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    return MakeError(StatusCode::kDataLoss,
                     fmt::format("cannot write to standard output: {}", std::strerror(errno)));
  }
  return {};
}

}  // namespace narrowgauge::app
