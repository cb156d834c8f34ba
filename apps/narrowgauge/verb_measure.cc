// measure: policies on a weight matrix, from a file or random.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
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
    "A policy is \"w=FORMAT[/GRANULARITY][,KEY=VALUE...] a=... acc=... out=...\", any part left "
    "out; "
    "`narrowgauge formats` lists the formats.\n"
    "Examples:\n"
    "  narrowgauge measure --weights "
    "model.safetensors:encoder.layer.0.attention.self.query.weight\n"
    "  narrowgauge measure --weights w.npy --error weights --policy w=float8_e4m3fn/channel "
    "--policy w=int4/group:32\n"
    "  narrowgauge measure --random 64x4096x4096 --preset mx --metrics sqnr_db,cosine --worst 5\n"
    "  narrowgauge measure --weights w.npy --activations x.npy --like torchao/int8 --explain";

// More would be no list of the worst.
constexpr std::int64_t kMostWorst = 10'000;

struct MeasureFlags {
  SharedFlags shared;
  std::string weights;
  std::string random;
  std::string activations;
  std::string error = "output";
  std::string k_axis;
  std::string npy_dtype;
  std::vector<std::string> policies;
  std::string preset;
  std::vector<std::string> like;
  std::string metrics;
  std::int64_t worst = 0;
  std::int64_t seed = 0;
  bool explain = false;
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

// Reads MxKxN.
Result<RandomShape> ParseShape(const std::string& text) {
  std::int64_t sizes[3] = {};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [rest, error] = std::from_chars(at, end, sizes[i]);
    const bool separated = i == 2 ? rest == end : rest != end && *rest == 'x';
    if (error != std::errc() || sizes[i] < 0 || !separated) {
      return MakeError(
          StatusCode::kInvalidArgument,
          fmt::format(
              "--random takes MxKxN, three sizes of 0 or more, such as 64x4096x4096: \"{}\"",
              text));
    }
    at = rest + (i == 2 ? 0 : 1);
  }
  return RandomShape{sizes[0], sizes[1], sizes[2]};
}

// The policies of a run: those of --preset, then each --policy; under each --like in turn.
Result<std::vector<NamedPolicy>> MakePolicies(const MeasureFlags& flags) {
  std::vector<NamedPolicy> policies;
  if (!flags.preset.empty()) {
    const auto preset = FindPreset(flags.preset);
    if (!preset) return tl::unexpected(preset.error());
    policies.assign(preset->begin(), preset->end());
  }
  for (const std::string& text : flags.policies) {
    const auto policy = ParsePolicy(text);
    if (!policy) return tl::unexpected(policy.error());
    policies.push_back({FormatPolicyBriefly(*policy), *policy});
  }
  if (flags.like.empty()) return policies;
  std::vector<NamedPolicy> converted;
  for (const std::string& like : flags.like) {
    const auto rows = FollowConvention(policies, like);
    if (!rows) return rows;
    converted.insert(converted.end(), rows->begin(), rows->end());
  }
  return converted;
}

// Whether the flags name data, or leave nothing to do but to explain.
bool NamesData(const MeasureFlags& flags) {
  return !flags.weights.empty() || !flags.random.empty() || !flags.activations.empty() ||
         !flags.explain;
}

Result<MeasureOptions> MakeOptions(const MeasureFlags& flags) {
  MeasureOptions options;
  if (flags.weights.empty() == flags.random.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "measure takes either --weights FILE[:TENSOR] or --random MxKxN");
  }
  if (!flags.random.empty() && !flags.k_axis.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--k-axis says how a file is stored; --random MxKxN has no need of it");
  }
  if (!flags.weights.empty()) options.weights = ParseSource(flags.weights);
  if (!flags.random.empty()) {
    const auto shape = ParseShape(flags.random);
    if (!shape) return tl::unexpected(shape.error());
    options.random = *shape;
  }
  if (!flags.activations.empty()) options.activations = ParseSource(flags.activations);
  options.error_of = flags.error == "weights" ? ErrorOf::kWeights : ErrorOf::kOutput;
  if (options.error_of == ErrorOf::kWeights && options.activations) {
    return MakeError(
        StatusCode::kInvalidArgument,
        "--activations says nothing about the error of the weights; use --error output "
        "or leave it out");
  }
  auto policies = MakePolicies(flags);
  if (!policies) return tl::unexpected(policies.error());
  options.policies = std::move(*policies);
  if (!flags.metrics.empty()) {
    auto metrics = ParseMetricList(flags.metrics);
    if (!metrics) return tl::unexpected(metrics.error());
    options.metrics = std::move(*metrics);
  } else {
    options.metrics = DefaultMetrics();
  }
  if (flags.worst < 0 || flags.worst > kMostWorst) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("--worst takes 0 to {} channels: {}", kMostWorst, flags.worst));
  }
  options.worst = flags.worst;
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

// What quantisation counts, in the order of columns.
struct CountColumn {
  const char* key;
  const Occurrences QuantizationCounts::*counted;
};
constexpr CountColumn kCountColumns[] = {
    {"saturated", &QuantizationCounts::saturated},
    {"flushed_to_zero", &QuantizationCounts::flushed_to_zero},
    {"sign_flipped", &QuantizationCounts::sign_flipped},
    {"zero_scales", &QuantizationCounts::zero_scales},
    {"subnormal_scales", &QuantizationCounts::subnormal_scales},
    {"underflowed_scales", &QuantizationCounts::underflowed_scales},
    {"overflowed_scales", &QuantizationCounts::overflowed_scales},
};

void AddMetricColumns(std::span<const Metric* const> metrics, ReportTable& table) {
  for (const Metric* const metric : metrics) {
    table.columns.push_back({std::string(metric->name), std::string(metric->unit)});
  }
}

void AddMetricCells(std::span<const Metric* const> metrics, const ErrorStatistics& statistics,
                    std::vector<Cell>& cells) {
  for (const Metric* const metric : metrics)
    cells.push_back(MetricCell(metric->compute(statistics)));
}

Cell BitsPerWeight(const MeasureResult& result, const StoredBytes& bytes) {
  const double elements = static_cast<double>(result.k) * static_cast<double>(result.n);
  if (elements == 0) return NoValue{"no elements"};
  return 8 * static_cast<double>(bytes.codes + bytes.scales + bytes.padding) / elements;
}

// Errors where |x|*|w| is 0, which backward_err leaves out.
Cell BackwardOverZero(const ErrorStatistics& statistics) {
  if (!Includes(statistics.covered, ErrorNeeds::kBackward)) return NoValue{"not asked for"};
  return statistics.backward_over_zero;
}

ReportTable PolicyTable(const MeasureOptions& options, const MeasureResult& result) {
  ReportTable table{.key = "rows", .title = "", .columns = {{"policy", ""}}, .rows = {}};
  AddMetricColumns(options.metrics, table);
  for (const char* key : {"weight_bytes", "scale_bytes"}) table.columns.push_back({key, "bytes"});
  table.columns.push_back({"padding_bytes", "bytes", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"bits_per_weight", "bits", ShownTo::kPrograms});
  table.columns.push_back({"elements", "", ShownTo::kPrograms});
  const auto add_count = [&](const std::string& key) {
    table.columns.push_back({key, "", ShownTo::kEveryoneIfNotable});
    table.columns.push_back({"first_" + key, "", ShownTo::kPrograms});
  };
  add_count("nonfinite_result");
  for (const CountColumn& column : kCountColumns) add_count(column.key);
  table.columns.push_back({"activations_saturated", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"backward_over_zero", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"policy_text", "", ShownTo::kPrograms});
  for (const Measurement& row : result.rows) {
    const ErrorStatistics& statistics = row.statistics;
    std::vector<Cell> cells{row.policy.name};
    AddMetricCells(options.metrics, statistics, cells);
    cells.insert(cells.end(),
                 {row.bytes.codes, row.bytes.scales, row.bytes.padding,
                  BitsPerWeight(result, row.bytes), statistics.count, statistics.nonfinite_results,
                  IndexCell(statistics.first_nonfinite_result)});
    for (const CountColumn& column : kCountColumns) {
      const Occurrences& occurrences = row.weight_counts.*column.counted;
      cells.emplace_back(occurrences.count);
      cells.push_back(IndexCell(occurrences.first_index));
    }
    cells.emplace_back(row.activation_counts.saturated.count);
    cells.push_back(BackwardOverZero(statistics));
    cells.emplace_back(FormatPolicy(row.policy.policy));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ReportTable WorstTable(const MeasureOptions& options, const MeasureResult& result) {
  ReportTable table{.key = "worst",
                    .title = fmt::format("Worst output channels, by {}", WorstMetric().name),
                    .columns = {{"policy", ""}, {"channel", ""}},
                    .rows = {}};
  std::vector<const Metric*> metrics = {&WorstMetric()};
  for (const Metric* const metric : options.metrics) {
    if (metric != metrics.front()) metrics.push_back(metric);
  }
  AddMetricColumns(metrics, table);
  for (const Measurement& row : result.rows) {
    for (const ChannelMeasurement& channel : row.worst) {
      std::vector<Cell> cells{row.policy.name, channel.channel};
      AddMetricCells(metrics, channel.statistics, cells);
      table.rows.push_back(std::move(cells));
    }
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

std::string WeightsText(const MeasureOptions& options, const MeasureResult& result) {
  if (!options.weights) return "normal(seed)";
  if (result.weights_tensor.empty()) return options.weights->path;
  return options.weights->path + ":" + result.weights_tensor;
}

std::span<const NamedPolicy> PoliciesOf(const MeasureOptions& options) {
  if (options.policies.empty()) return TutorialPolicies();
  return options.policies;
}

std::vector<std::string> InWords(std::span<const NamedPolicy> policies) {
  std::vector<std::string> notes;
  for (const NamedPolicy& named : policies) {
    notes.push_back(fmt::format("{}: {}", named.name, ExplainPolicy(named.policy)));
  }
  return notes;
}

// What the reader of the tutorial's rows should know, who may not know the tutorial.
std::vector<std::string> Notes(const MeasureFlags& flags, const MeasureOptions& options) {
  if (flags.explain) return InWords(PoliciesOf(options));
  if (!options.policies.empty()) return {};
  return {
      "int8: one float32 scale per output channel, max|w|/127; codes -127 to 127, ties to even.",
      "bf16 accum names the output type: the sum is float32, as XLA's, and the result is rounded "
      "once."};
}

Report MakeReport(const MeasureFlags& flags, const MeasureOptions& options,
                  const MeasureResult& result) {
  const bool output = options.error_of == ErrorOf::kOutput;
  Report report{
      .schema = "narrowgauge.measure/1", .title = "", .facts = {}, .tables = {}, .notes = {}};
  auto& facts = report.facts;
  facts.push_back({"weights", WeightsText(options, result)});
  facts.push_back({"stored_dtype", result.stored_dtype});
  facts.push_back({"k", result.k});
  facts.push_back({"n", result.n});
  facts.push_back({"k_axis", std::string(KAxisName(result.k_axis))});
  if (output) {
    facts.push_back({"m", result.m});
    facts.push_back({"activations", options.activations ? flags.activations : "normal(seed)"});
  }
  facts.push_back({"seed", options.seed, output ? ShownTo::kEveryone : ShownTo::kPrograms});
  facts.push_back({"error_of", std::string(output ? "output" : "weights")});
  facts.push_back(
      {"reference", std::string(output ? "float64, compensated sums" : "stored weights")});
  facts.push_back({"backend", std::string("native")});
  facts.push_back({"kernel", std::string(output ? "float32 FMA chain, k ascending" : "none")});
  facts.push_back({"isa", std::string(InstructionSetName(options.isa))});
  AddNonFiniteFacts("weights", "channels", result.weights_nonfinite, facts);
  if (output) AddNonFiniteFacts("activations", "rows", result.activations_nonfinite, facts);
  report.tables = {PolicyTable(options, result)};
  if (options.worst > 0) report.tables.push_back(WorstTable(options, result));
  report.notes = Notes(flags, options);
  return report;
}

// What --explain says where there is nothing to measure.
Report ExplainReport(std::span<const NamedPolicy> policies) {
  ReportTable table{
      .key = "policies",
      .title = "",
      .columns = {{"policy", ""}, {"policy_text", ""}, {"words", "", ShownTo::kPrograms}},
      .rows = {}};
  for (const NamedPolicy& named : policies) {
    table.rows.push_back({named.name, FormatPolicy(named.policy), ExplainPolicy(named.policy)});
  }
  return {.schema = "narrowgauge.explain/1",
          .title = "",
          .facts = {},
          .tables = {std::move(table)},
          .notes = InWords(policies)};
}

Result<Outcome> Explain(const MeasureFlags& flags, const ReportFormat& format) {
  const auto named = MakePolicies(flags);
  if (!named) return tl::unexpected(named.error());
  const std::span<const NamedPolicy> policies =
      named->empty() ? TutorialPolicies() : std::span<const NamedPolicy>(*named);
  const auto written = WriteResult(flags.shared, format.write(ExplainReport(policies)));
  if (!written) return tl::unexpected(written.error());
  return Outcome::kDone;
}

Result<Outcome> RunMeasure(const MeasureFlags& flags) {
  const auto format = FindReportFormat(flags.shared.format);
  if (!format) return tl::unexpected(format.error());
  if (!NamesData(flags)) return Explain(flags, *format);
  auto options = MakeOptions(flags);
  if (!options) return tl::unexpected(options.error());

  Result<MeasureResult> result;
  {
    ProgressLine progress("measuring " +
                          (options->weights ? options->weights->path : flags.random));
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

std::string PresetNames() {
  std::vector<std::string_view> names;
  for (const Preset& preset : AllPresets()) names.push_back(preset.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string MetricNames() {
  std::vector<std::string_view> names;
  for (const Metric& metric : AllMetrics()) names.push_back(metric.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::function<Result<Outcome>()> DeclareMeasure(CLI::App& command) {
  const auto flags = std::make_shared<MeasureFlags>();
  flags->shared.format = "table";
  command
      .add_option("--weights", flags->weights,
                  "The weights: a .safetensors or .npy file of a floating dtype")
      ->type_name("FILE[:TENSOR]");
  command
      .add_option(
          "--random", flags->random,
          "Instead: x = normal(k1, (M, K)) and w = normal(k2, (K, N)), k1 and k2 split from the "
          "seed")
      ->type_name("MxKxN");
  command
      .add_option("--activations", flags->activations,
                  "The activations, [M, K]. Default: normal(seed) of shape (64, K)")
      ->type_name("FILE[:TENSOR]");
  command
      .add_option("--error", flags->error, "What the error is of: output (the product) or weights")
      ->type_name("NAME")
      ->check(CLI::IsMember({"output", "weights"}))
      ->capture_default_str();
  command
      .add_option("--policy", flags->policies,
                  "A policy to measure, such as \"w=float8_e4m3fn/channel a=bfloat16\"; "
                  "repeatable. Default: "
                  "the tutorial's three")
      ->type_name("POLICY");
  command.add_option("--preset", flags->preset, fmt::format("Policies by name: {}", PresetNames()))
      ->type_name("NAME");
  command
      .add_option(
          "--like", flags->like,
          "Quantise as another package does, to the bit, such as qwix or torchao/int8; repeatable. "
          "Without --policy and --preset: the scheme's own format")
      ->type_name("NAME[/SCHEME]");
  command
      .add_option("--metrics", flags->metrics,
                  fmt::format("Names separated by commas, or all: {}", MetricNames()))
      ->type_name("LIST");
  AddInteger(command, "--worst", "Also list that many of the worst output channels of each policy",
             flags->worst);
  command.add_flag("--explain", flags->explain,
                   "Say in words what each policy does; without --weights and --random, only that");
  AddInteger(command, "--seed", "Seed of random operands and of stochastic rounding, any int64",
             flags->seed);
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
