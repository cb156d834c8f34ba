#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <functional>
#include <string>

#include "flags.h"
#include "narrowgauge/report.h"
#include "narrowgauge/status.h"
#include "narrowgauge/version.h"
#include "terminal.h"
#include "verb.h"
#include "version_report.h"

namespace {

using narrowgauge::Error;
using narrowgauge::Result;
using narrowgauge::StatusCode;
using narrowgauge::app::Outcome;

constexpr int kExitDone = 0;
constexpr int kExitFailure = 1;          // A file, tensor or directory cannot be used.
constexpr int kExitUsage = 2;            // Flags, names or combinations that can never be right.
constexpr int kExitConditionFailed = 3;  // What was asked for does not hold.

constexpr const char* kFooter =
    "Exit status: 0 done, 1 bad data or a failure, 2 wrong usage, 3 a condition that was asked for "
    "does not hold.\n"
    "\"narrowgauge VERB --help\" lists the flags of a verb, with examples.";

int ExitCodeOf(const Error& error) {
  return error.code == StatusCode::kInvalidArgument ? kExitUsage : kExitFailure;
}

int Fail(const Error& error) {
  narrowgauge::app::PrintError(error.message);
  return ExitCodeOf(error);
}

int PrintVersionReport() {
  const auto report = narrowgauge::app::VersionReport();
  if (!report) return Fail(report.error());
  const auto format = narrowgauge::FindReportFormat("table");
  const auto written = narrowgauge::app::WriteResult({}, format->write(*report));
  return written ? kExitDone : Fail(written.error());
}

int Run(int argc, char** argv) {
  CLI::App app("What a number format costs you: error, bytes and time, on your own weights.");
  app.name("narrowgauge");
  bool verbose = false;
  app.add_flag("--verbose", verbose,
               "With --version: the instruction sets, and the kernels with their promises")
      ->needs(app.set_version_flag("--version", std::string("narrowgauge ") + NARROWGAUGE_VERSION));
  app.footer(kFooter);
  app.require_subcommand(1);

  std::function<Result<Outcome>()> chosen;
  for (const auto& verb : narrowgauge::app::kVerbs) {
    CLI::App* const command = app.add_subcommand(std::string(verb.name), std::string(verb.summary));
    command->callback([&chosen, run = verb.declare(*command)] { chosen = run; });
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    return verbose ? PrintVersionReport() : app.exit(version);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    narrowgauge::app::PrintError(
        std::string(error.what()) +
        "; \"narrowgauge --help\" and \"narrowgauge VERB --help\" tell more");
    return kExitUsage;
  }

  const Result<Outcome> outcome = chosen();
  if (!outcome) return Fail(outcome.error());
  return *outcome == Outcome::kDone ? kExitDone : kExitConditionFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // A file size limit is to fail a write, as a full disk does, so that what was begun is cleaned
  // up.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // Out of memory; nothing of ours throws.
    narrowgauge::app::PrintError(error.what());
    return kExitFailure;
  }
}
