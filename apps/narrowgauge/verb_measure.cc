// measure: the tutorial's policies on a weight matrix from a file.

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "flags.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/report.h"
#include "terminal.h"
#include "verb.h"

namespace narrowgauge::app {
namespace {

constexpr const char* kExamples =
    "Weights are [out, in] in safetensors and [in, out] in npy; --k-axis overrides. Activations "
    "are "
    "[M, K].\n"
    "Examples:\n"
    "  narrowgauge measure --weights "
    "model.safetensors:encoder.layer.0.attention.self.query.weight\n"
    "  narrowgauge measure --weights w.npy --activations x.npy --format json\n"
    "  narrowgauge measure --weights w.npy --error weights";

struct MeasureFlags {
  SharedFlags shared;
  std::string weights;
  std::string activations;
  std::string error = "output";
  std::string k_axis;
  std::string npy_dtype;
  std::int64_t seed = 0;
  bool strict = false;
};

// Splits FILE[:TENSOR]. Both may hold colons: the longest part that is a file is the file.
MatrixSource ParseSource(const std::string& text) {
  std::size_t end = text.size();
  while (end != std::string::npos && end > 0) {
    std::error_code ignored;
    if (std::filesystem::exists(text.substr(0, end), ignored)) break;
    end = text.rfind(':', end - 1);
  }
  if (end == std::string::npos || end == 0) end = text.find(':');  // No such file: say so of it.
  if (end >= text.size()) return {text, ""};
  return {text.substr(0, end), text.substr(end + 1)};
}

Result<MeasureOptions> MakeOptions(const MeasureFlags& flags) {
  MeasureOptions options;
  options.weights = ParseSource(flags.weights);
  if (!flags.activations.empty()) options.activations = ParseSource(flags.activations);
  options.error_of = flags.error == "weights" ? ErrorOf::kWeights : ErrorOf::kOutput;
  if (options.error_of == ErrorOf::kWeights && options.activations) {
    return MakeError(
        StatusCode::kInvalidArgument,
        "--activations says nothing about the error of the weights; use --error output "
        "or leave it out");
  }
  options.seed = flags.seed;
  if (!flags.k_axis.empty()) {
    options.weights_k_axis = flags.k_axis == "first" ? KAxis::kFirst : KAxis::kLast;
  }
  if (!flags.npy_dtype.empty()) {
    const auto dtype = ParseDType(flags.npy_dtype);
    if (!dtype) return tl::unexpected(dtype.error());
    options.checkpoint.npy_dtype = *dtype;
  }
  const auto isa = SelectInstructionSet(flags.shared.isa);
  if (!isa) return tl::unexpected(isa.error());
  options.isa = *isa;
  const auto threads = ThreadCount(flags.shared);
  if (!threads) return tl::unexpected(threads.error());
  options.threads = *threads;
  return options;
}

Cell MetricCell(const MetricValue& value) {
  if (value.value) return *value.value;
  return NoValue{std::string(value.reason)};
}

// An index, or none where it is -1.
Cell IndexCell(std::int64_t index) {
  if (index >= 0) return index;
  return NoValue{"none"};
}

ReportTable PolicyTable(const MeasureResult& result) {
  ReportTable table{.key = "rows", .title = "", .columns = {{"policy", ""}}, .rows = {}};
  for (const Metric& metric : AllMetrics()) {
    table.columns.push_back({std::string(metric.name), std::string(metric.unit)});
  }
  for (const char* key : {"weight_bytes", "scale_bytes"}) table.columns.push_back({key, "bytes"});
  table.columns.push_back({"padding_bytes", "bytes", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"elements", "", ShownTo::kPrograms});
  table.columns.push_back({"nonfinite_result", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"first_nonfinite_result", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"policy_text", "", ShownTo::kPrograms});
  for (const Measurement& row : result.rows) {
    const ErrorStatistics& statistics = row.statistics;
    std::vector<Cell> cells{std::string(row.policy.name)};
    for (const Metric& metric : AllMetrics())
      cells.push_back(MetricCell(metric.compute(statistics)));
    cells.insert(cells.end(),
                 {row.weight_bytes, row.scale_bytes, row.padding_bytes, statistics.count,
                  statistics.nonfinite_results, IndexCell(statistics.first_nonfinite_result)});
    cells.emplace_back(FormatPolicy(row.policy.policy));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void AddNonFiniteFacts(const std::string& what, const std::string& lines, const NonFinite& found,
                       std::vector<ReportFact>& facts) {
  constexpr auto kIfNotable = ShownTo::kEveryoneIfNotable;
  facts.push_back({what + "_nan", found.nan_count, kIfNotable});
  facts.push_back({what + "_inf", found.inf_count, kIfNotable});
  facts.push_back({what + "_first_nonfinite", IndexCell(found.first_index), kIfNotable});
  facts.push_back({lines + "_left_out", found.lines_left_out, kIfNotable});
}

Report MakeReport(const MeasureFlags& flags, const MeasureOptions& options,
                  const MeasureResult& result) {
  const bool output = options.error_of == ErrorOf::kOutput;
  Report report{
      .schema = "narrowgauge.measure/1", .title = "", .facts = {}, .tables = {}, .notes = {}};
  auto& facts = report.facts;
  facts.push_back({"weights", result.weights_tensor.empty()
                                  ? options.weights.path
                                  : options.weights.path + ":" + result.weights_tensor});
  facts.push_back({"stored_dtype", result.stored_dtype});
  facts.push_back({"k", result.k});
  facts.push_back({"n", result.n});
  facts.push_back({"k_axis", std::string(KAxisName(result.k_axis))});
  if (output) {
    facts.push_back({"m", result.m});
    facts.push_back({"activations", options.activations ? flags.activations : "normal(seed)"});
    facts.push_back({"seed", options.seed});
  }
  facts.push_back({"error_of", std::string(output ? "output" : "weights")});
  facts.push_back(
      {"reference", std::string(output ? "float64, compensated sums" : "stored weights")});
  facts.push_back({"backend", std::string("native")});
  facts.push_back({"kernel", std::string(output ? "float32 FMA chain, k ascending" : "none")});
  facts.push_back({"isa", std::string(InstructionSetName(options.isa))});
  AddNonFiniteFacts("weights", "channels", result.weights_nonfinite, facts);
  if (output) AddNonFiniteFacts("activations", "rows", result.activations_nonfinite, facts);
  report.tables = {PolicyTable(result)};
  report.notes = {
      "int8: one float32 scale per output channel, max|w|/127; codes -127 to 127, ties to even.",
      "bf16 accum names the output type: the sum is float32, as XLA's, and the result is rounded "
      "once."};
  return report;
}

Result<Outcome> RunMeasure(const MeasureFlags& flags) {
  const auto format = FindReportFormat(flags.shared.format);
  if (!format) return tl::unexpected(format.error());
  auto options = MakeOptions(flags);
  if (!options) return tl::unexpected(options.error());

  Result<MeasureResult> result;
  {
    ProgressLine progress("measuring " + options->weights.path);
    if (!flags.shared.quiet) {
      options->progress = [&progress](double fraction) { progress.Update(fraction); };
    }
    result = Measure(*options);
  }
  if (!result) return tl::unexpected(result.error());

  const auto written =
      WriteResult(flags.shared, format->write(MakeReport(flags, *options, *result)));
  if (!written) return tl::unexpected(written.error());
  const NonFinite& weights = result->weights_nonfinite;
  if (weights.lines_left_out + result->activations_nonfinite.lines_left_out > 0 && flags.strict) {
    PrintError(
        fmt::format("--strict: values that are not finite; {} NaN and {} Inf in the weights, "
                    "the first at index {}; rows of activations left out: {}",
                    weights.nan_count, weights.inf_count, weights.first_index,
                    result->activations_nonfinite.lines_left_out));
    return Outcome::kConditionFailed;
  }
  return Outcome::kDone;
}

}  // namespace

std::function<Result<Outcome>()> DeclareMeasure(CLI::App& command) {
  const auto flags = std::make_shared<MeasureFlags>();
  flags->shared.format = "table";
  command
      .add_option(
          "--weights", flags->weights,
          "The weights: a .safetensors or .npy file of float32 or a narrower floating dtype")
      ->type_name("FILE[:TENSOR]")
      ->required();
  command
      .add_option("--activations", flags->activations,
                  "The activations, [M, K]. Default: normal(seed) of shape (64, K)")
      ->type_name("FILE[:TENSOR]");
  command
      .add_option("--error", flags->error, "What the error is of: output (the product) or weights")
      ->type_name("NAME")
      ->check(CLI::IsMember({"output", "weights"}))
      ->capture_default_str();
  AddInteger(command, "--seed", "Seed of the default activations, any int64", flags->seed);
  command
      .add_option("--k-axis", flags->k_axis,
                  "Which axis of the stored weights is K: first or last. Default: as the file "
                  "format has it")
      ->type_name("NAME")
      ->check(CLI::IsMember({"first", "last"}));
  command
      .add_option("--npy-dtype", flags->npy_dtype,
                  "What the elements of a .npy file of void dtype are, such as bfloat16")
      ->type_name("NAME");
  command.add_flag("--strict", flags->strict, "Exit with status 3 if any value is NaN or infinite");
  AddSharedFlags(command, "table, csv, json or markdown", flags->shared);
  command.footer(kExamples);
  return [flags] { return RunMeasure(*flags); };
}

}  // namespace narrowgauge::app
