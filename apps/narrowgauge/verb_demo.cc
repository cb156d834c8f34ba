// demo: the JAX tutorial, end to end.

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flags.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/report.h"
#include "terminal.h"
#include "verb.h"

namespace narrowgauge::app {
namespace {

constexpr std::string_view kPythonFormat = "python";  // The tutorial's own two lines.
constexpr int kTableDigits = 5;                       // As the tutorial rounds.
constexpr int kTimeDigits = 4;

constexpr const char* kExamples =
    "Examples:\n"
    "  narrowgauge demo\n"
    "  narrowgauge demo --seed 7 --profile jaxlib-0.4.38 --no-partitionable\n"
    "  narrowgauge demo --trace-dir ~/traces --format json";

struct DemoFlags {
  SharedFlags shared;
  std::int64_t seed = 0;
  WarmedTraceOptions trace;
  std::string profile{DefaultNumericsProfile().name};
  bool no_partitionable = false;
};

double Rounded(float error) { return PythonRound(static_cast<double>(error), kTableDigits); }

std::string PythonRow(const PrecisionRow& row) {
  return fmt::format(
      "{{'policy': '{}', 'max_abs_err': {}, 'mean_abs_err': {}, 'weight_bytes': {}, "
      "'scale_bytes': {}}}",
      row.policy, PythonRepr(Rounded(row.max_abs_err)), PythonRepr(Rounded(row.mean_abs_err)),
      row.weight_bytes, row.scale_bytes);
}

std::string PythonText(const PrecisionTable& table, const WarmedTrace& trace) {
  std::string rows;
  for (const PrecisionRow& row : table.rows) {
    if (!rows.empty()) rows += ", ";
    rows += PythonRow(row);
  }
  return fmt::format(
      "Precision comparison: [{}]\nCaptured *.xplane.pb trace count: {} steady_ms: {}\n", rows,
      trace.xplane_count, PythonRepr(PythonRound(trace.steady_ms, kTimeDigits)));
}

std::vector<Cell> ErrorCells(const PrecisionRow& row) {
  return {std::string(row.policy), Rounded(row.max_abs_err), Rounded(row.mean_abs_err)};
}

ReportTable TutorialTable(const PrecisionTable& table) {
  ReportTable result{
      .key = "rows",
      .title = "The tutorial's policies, 64x256x64, errors against the float32 product",
      .columns = {{"policy", ""},
                  {"max_abs_err", ""},
                  {"mean_abs_err", ""},
                  {"weight_bytes", "bytes"},
                  {"scale_bytes", "bytes"}},
      .rows = {}};
  for (const PrecisionRow& row : table.rows) {
    std::vector<Cell> cells = ErrorCells(row);
    cells.emplace_back(row.weight_bytes);
    cells.emplace_back(row.scale_bytes);
    result.rows.push_back(std::move(cells));
  }
  return result;
}

ReportTable AccumulatorTable(const std::vector<PrecisionRow>& rows) {
  ReportTable result{.key = "bf16_accumulators",
                     .title = "Accumulators that are bfloat16 in truth, on the same data",
                     .columns = {{"policy", ""}, {"max_abs_err", ""}, {"mean_abs_err", ""}},
                     .rows = {}};
  for (const PrecisionRow& row : rows) result.rows.push_back(ErrorCells(row));
  return result;
}

Report MakeReport(const DemoFlags& flags, const PrecisionTable& table,
                  const std::vector<PrecisionRow>& accumulators, const WarmedTrace& trace,
                  InstructionSet isa) {
  const CaptureSummary& verified = trace.verified;
  Report report{
      .schema = "narrowgauge.demo/1",
      .title = "bfloat16 and int8 precision, and a warmed trace",
      .facts = {{"seed", flags.seed},
                {"profile", flags.profile},
                {"threefry_partitionable", !flags.no_partitionable, ShownTo::kPrograms},
                {"error_of", std::string("output"), ShownTo::kPrograms},
                {"reference", std::string("float32"), ShownTo::kPrograms},
                {"backend", std::string("native"), ShownTo::kPrograms},
                {"kernel", std::string(trace.kernel)},
                {"isa", std::string(InstructionSetName(isa))},
                {"steps", verified.steps},
                {"warmup_ms", trace.warmup_ms},
                {"steady_ms", trace.steady_ms},
                {"xplane_count", trace.xplane_count, ShownTo::kPrograms},
                {"trace_dir", trace.trace_dir, ShownTo::kPrograms},
                {"trace_file", trace.path},
                {"trace_file_bytes", static_cast<std::int64_t>(verified.size_bytes)}},
      .tables = {TutorialTable(table), AccumulatorTable(accumulators)},
      .notes = {"The label \"bf16 accum\" names the output type: XLA on CPU and TPU accumulates in "
                "float32 "
                "and rounds once, at the end; the second table shows bfloat16 accumulators.",
                fmt::format(
                    "Read back and verified: {} steps, one after another, {} events between start "
                    "and stop, and the file is this capture's own.",
                    verified.steps, verified.events),
                fmt::format("Open it with: `xprof --logdir '{}' --port 6006` (pip install xprof)",
                            trace.trace_dir)}};
  if (trace.first_nonfinite_step >= 0) {
    report.notes.push_back(fmt::format(
        "From step {} on the result is no longer finite: ones(256,256) squared again and again is "
        "2^8, 2^24, 2^56, 2^120, then infinity.",
        trace.first_nonfinite_step + 1));
  }
  return report;
}

// The tutorial's two assertions. Returns whether both hold and names those that do not.
bool CheckAssertions(const PrecisionTable& table, const WarmedTrace& trace) {
  bool hold = true;
  if (trace.xplane_count < 1) {
    PrintError("the tutorial's assertion does not hold: xplane_count >= 1");
    hold = false;
  }
  const double first = Rounded(table.rows[0].max_abs_err);
  const double second = Rounded(table.rows[1].max_abs_err);
  if (!(first < second)) {
    PrintError(fmt::format(
        "the tutorial's assertion does not hold for this seed: max_abs_err of "
        "'{}' < max_abs_err of '{}': {} and {}",
        table.rows[0].policy, table.rows[1].policy, PythonRepr(first), PythonRepr(second)));
    hold = false;
  }
  return hold;
}

Result<Outcome> RunDemo(const DemoFlags& flags) {
  const bool python = flags.shared.format == kPythonFormat;
  const auto people = FindReportFormat("table");
  if (!people) return tl::unexpected(people.error());
  const auto format = python ? people : FindReportFormat(flags.shared.format);
  if (!format) {
    return MakeError(format.error().code,
                     "--format takes python here, too; " + format.error().message);
  }
  const auto profile = FindNumericsProfile(flags.profile);
  if (!profile) return tl::unexpected(profile.error());
  const auto isa = SelectInstructionSet(flags.shared.isa);
  if (!isa) return tl::unexpected(isa.error());

  const auto threads =
      ThreadCount(flags.shared);  // The demo is one thread's work; the word must be right.
  if (!threads) return tl::unexpected(threads.error());

  WarmedTraceOptions trace_options = flags.trace;
  trace_options.isa = *isa;
  const auto trace = CaptureWarmedTrace(trace_options);
  if (!trace) return tl::unexpected(trace.error());
  const PrecisionTable table = EvaluatePrecisionPolicies(
      flags.seed, {.profile = *profile,
                   .layout = flags.no_partitionable ? ThreefryLayout::kOriginal
                                                    : ThreefryLayout::kPartitionable,
                   .isa = *isa});
  const auto accumulators = EvaluateBfloat16Accumulators(*table.arrays, *isa);
  const Report report = MakeReport(flags, table, accumulators, *trace, *isa);

  const auto written =
      WriteResult(flags.shared, python ? PythonText(table, *trace) : format->write(report));
  if (!written) return tl::unexpected(written.error());
  const bool already_shown = format->name == "table" && !python && flags.shared.out.empty();
  if (!flags.shared.quiet && !already_shown) PrintNote(people->write(report));
  return CheckAssertions(table, *trace) ? Outcome::kDone : Outcome::kConditionFailed;
}

// Returns "jaxlib-0.10.2, ieee, ...".
std::string ProfileNames() {
  std::string names;
  for (const NumericsProfile& profile : AllNumericsProfiles()) {
    if (!names.empty()) names += ", ";
    names += profile.name;
  }
  return names;
}

}  // namespace

std::function<Result<Outcome>()> DeclareDemo(CLI::App& command) {
  const auto flags = std::make_shared<DemoFlags>();
  flags->shared.format = kPythonFormat;
  AddSharedFlags(command, "python (the tutorial's two lines), table, csv, json or markdown",
                 flags->shared);
  AddInteger(command, "--seed", "Seed of the operands, any int64", flags->seed);
  AddInteger(command, "--steps", "Steps inside the trace, at least 1", flags->trace.steps);
  command
      .add_option("--trace-dir", flags->trace.trace_dir,
                  "Where the trace goes. Default: $TPU_TRACE_DIR, else ./tpu-xprof-trace")
      ->type_name("DIR");
  command
      .add_option("--profile", flags->profile,
                  "Whose numerics to follow to the last bit: " + ProfileNames())
      ->type_name("NAME")
      ->capture_default_str();
  command.add_flag("--no-partitionable", flags->no_partitionable,
                   "Random numbers as with jax_threefry_partitionable off");
  command.footer(kExamples);
  return [flags] { return RunDemo(*flags); };
}

}  // namespace narrowgauge::app
