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
#include "measure_report.h"
#include "narrowgauge/dot_algorithm.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/report.h"
#include "narrowgauge/sweep.h"
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
    "  narrowgauge measure --random 8xKx8 --inputs same-sign --sweep k=64..65536 --preset "
    "accumulators\n"
    "  narrowgauge measure --weights w.npy --activations x.npy --like torchao/int8 --explain\n"
    "  narrowgauge measure --weights w.npy --compare-conventions --policy w=int4/group:32";

// More would be no list of the worst.
constexpr std::int64_t kMostWorst = 10'000;

struct MeasureFlags {
  SharedFlags shared;
  std::string weights;
  std::string random;
  std::string inputs;
  std::string sweep;
  std::string activations;
  std::string error;
  std::string k_axis;
  std::string npy_dtype;
  std::vector<std::string> policies;
  std::string policy_m1;
  std::string preset;
  std::vector<std::string> dot_algorithms;
  std::vector<std::string> like;
  std::string hardware;
  std::string match_output;
  std::string metrics;
  std::int64_t worst = 0;
  std::int64_t seed = 0;
  bool compare_conventions = false;
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

// Reads MxKxN. Where k is swept, `deepest` is its largest, which the letter K stands for.
Result<RandomShape> ParseShape(const std::string& text, std::optional<std::int64_t> deepest) {
  std::int64_t sizes[3] = {};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    auto [rest, error] = std::from_chars(at, end, sizes[i]);
    if (i == 1 && deepest && at != end && *at == 'K') {
      sizes[i] = *deepest;
      rest = at + 1;
      error = std::errc();
    }
    const bool separated = i == 2 ? rest == end : rest != end && *rest == 'x';
    if (error != std::errc() || sizes[i] < 0 || !separated) {
      return MakeError(
          StatusCode::kInvalidArgument,
          fmt::format("--random takes MxKxN, three sizes of 0 or more, such as 64x4096x4096, or, "
                      "with --sweep k=, the letter K for the second: \"{}\"",
                      text));
    }
    at = rest + (i == 2 ? 0 : 1);
  }
  return RandomShape{sizes[0], sizes[1], sizes[2]};
}

// The policies of a run, before --like and --hardware: those of --preset, then each --policy, then
// each --dot-algorithm.
Result<std::vector<NamedPolicy>> NamedOnes(const MeasureFlags& flags) {
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
  for (const std::string& text : flags.dot_algorithms) {
    const auto policy = FollowDotAlgorithm(text);
    if (!policy) return tl::unexpected(policy.error());
    policies.push_back(*policy);
  }
  return policies;
}

// The same summed as --hardware does.
Result<void> SumAs(const std::string& name, std::vector<NamedPolicy>& policies) {
  if (name.empty()) return {};
  const auto hardware = FindHardware(name);
  if (!hardware) return tl::unexpected(hardware.error());
  if (policies.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--hardware changes how policies sum; name them by --policy or --preset, such "
                     "as --policy 'w=bfloat16 a=bfloat16'");
  }
  for (NamedPolicy& named : policies) {
    const AccumulationSpec& sum = named.policy.accumulation;
    const AccumulationSpec only_passes = {
        .passes = sum.passes, .parts = sum.parts, .splits_to_nearest = sum.splits_to_nearest};
    if (sum != only_passes) {
      return MakeError(
          StatusCode::kInvalidArgument,
          fmt::format("--hardware {} contradicts a policy that says how it sums; leave "
                      "out one of them: \"{}\"",
                      name, FormatPolicyBriefly(named.policy)));
    }
    const bool is_named_by_text = named.name == FormatPolicyBriefly(named.policy);
    named.policy.accumulation.hardware = *hardware;
    if (is_named_by_text) named.name = FormatPolicyBriefly(named.policy);
  }
  return {};
}

// The policies of a run: under each --like in turn, summed as --hardware does.
Result<std::vector<NamedPolicy>> MakePolicies(const MeasureFlags& flags) {
  auto named = NamedOnes(flags);
  if (!named) return named;
  std::vector<NamedPolicy>& policies = *named;
  if (const auto summed = SumAs(flags.hardware, policies); !summed) {
    return tl::unexpected(summed.error());
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
         !flags.inputs.empty() || !flags.sweep.empty() || !flags.match_output.empty() ||
         flags.compare_conventions || !flags.explain;
}

ErrorOf ErrorAsked(const MeasureFlags& flags) {
  if (!flags.error.empty()) return flags.error == "weights" ? ErrorOf::kWeights : ErrorOf::kOutput;
  const bool weights = flags.compare_conventions && flags.activations.empty();
  return weights ? ErrorOf::kWeights : ErrorOf::kOutput;
}

// The policy of --policy-m1, under a name that says when it is used.
Result<std::optional<NamedPolicy>> PolicyForOneRow(const MeasureFlags& flags) {
  if (flags.policy_m1.empty()) return std::optional<NamedPolicy>();
  const auto policy = ParsePolicy(flags.policy_m1);
  if (!policy) return tl::unexpected(policy.error());
  return std::optional(NamedPolicy{FormatPolicyBriefly(*policy) + " (for M = 1)", *policy});
}

// Without --sweep, nothing.
Result<std::optional<Sweep>> MakeSweep(const MeasureFlags& flags) {
  if (flags.sweep.empty()) return std::optional<Sweep>();
  if (flags.compare_conventions || !flags.match_output.empty() || flags.worst != 0) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--sweep measures policies again and again; leave out --compare-conventions, "
                     "--match-output and --worst");
  }
  auto sweep = ParseSweep(flags.sweep);
  if (!sweep) return tl::unexpected(sweep.error());
  return std::optional(std::move(*sweep));
}

Result<MeasureOptions> MakeOptions(const MeasureFlags& flags, const std::optional<Sweep>& sweep) {
  MeasureOptions options;
  if (flags.weights.empty() == flags.random.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "measure takes either --weights FILE[:TENSOR] or --random MxKxN");
  }
  if (!flags.policy_m1.empty() && (flags.compare_conventions || !flags.match_output.empty())) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--policy-m1 is another policy to measure for M = 1; leave it out with "
                     "--compare-conventions and --match-output");
  }
  if (flags.compare_conventions && (!flags.preset.empty() || !flags.like.empty())) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--compare-conventions takes one --policy and every convention; leave out "
                     "--preset and --like");
  }
  if (!flags.random.empty() && !flags.k_axis.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--k-axis says how a file is stored; --random MxKxN has no need of it");
  }
  if (!flags.weights.empty()) options.weights = ParseSource(flags.weights);
  if (!flags.random.empty()) {
    const bool sweeps_k = sweep && sweep->axis == SweepAxis::kK;
    const auto shape =
        ParseShape(flags.random, sweeps_k ? std::optional(sweep->values.back()) : std::nullopt);
    if (!shape) return tl::unexpected(shape.error());
    options.random = *shape;
  }
  if (!flags.activations.empty()) options.activations = ParseSource(flags.activations);
  if (!flags.inputs.empty()) {
    const auto inputs = ParseInputs(flags.inputs);
    if (!inputs) return tl::unexpected(inputs.error());
    options.inputs = *inputs;
  }
  options.error_of = ErrorAsked(flags);
  if (options.error_of == ErrorOf::kWeights && options.activations) {
    return MakeError(
        StatusCode::kInvalidArgument,
        "--activations says nothing about the error of the weights; use --error output "
        "or leave it out");
  }
  auto policies = MakePolicies(flags);
  if (!policies) return tl::unexpected(policies.error());
  options.policies = std::move(*policies);
  auto policy_m1 = PolicyForOneRow(flags);
  if (!policy_m1) return tl::unexpected(policy_m1.error());
  options.policy_m1 = std::move(*policy_m1);
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

// ---- Notes ------------------------------------------------------------------------------------

// What --explain says.
std::vector<std::string> InWords(std::span<const NamedPolicy> policies) {
  std::vector<std::string> notes;
  for (const NamedPolicy& named : policies) {
    notes.push_back(fmt::format("{}: {}", named.name, ExplainPolicy(named.policy)));
  }
  return notes;
}

std::vector<std::string> MeasureNotes(const MeasureFlags& flags, const MeasureResult& result) {
  std::vector<NamedPolicy> policies;
  for (const Measurement& row : result.rows) policies.push_back(row.policy);
  if (flags.explain) return InWords(policies);
  const bool are_named = !flags.policies.empty() || !flags.preset.empty() ||
                         !flags.dot_algorithms.empty() || !flags.like.empty();
  if (are_named) return {};
  // What the reader of the tutorial's rows should know, who may not know the tutorial.
  return {
      "int8: one float32 scale per output channel, max|w|/127; codes -127 to 127, ties to even.",
      "bf16 accum names the output type: the sum is float32, as XLA's, and the result is rounded "
      "once."};
}

// Adds what --policy-m1 changed. Other policies that are not measured are not spoken of.
void AddNoteOfOneRow(const MeasureFlags& flags, std::int64_t m, std::vector<std::string>& notes) {
  if (flags.policy_m1.empty()) return;
  if (m == 1 && !flags.explain) notes.clear();
  notes.emplace_back(m == 1 ? "M = 1: --policy-m1 is measured, in place of the other policies."
                            : fmt::format("M = {}: --policy-m1 is not used.", m));
}

std::vector<std::string> SweepNotes(const MeasureFlags& flags, const SweepResult& result) {
  std::vector<NamedPolicy> policies;
  for (const SweepCurve& curve : result.curves) policies.push_back(curve.policy);
  std::vector<std::string> notes;
  if (flags.explain) notes = InWords(policies);
  AddNoteOfOneRow(flags, result.common.m, notes);
  if (result.follows_sums) {
    notes.emplace_back(
        "stagnation_k: the first k from which no later one of the sweep changes any output, "
        "although exact sums change. last_unchanged, last_changed: outputs that the last k left as "
        "they were, although their exact sums changed, and others.");
  }
  return notes;
}

std::vector<std::string> ComparisonNotes(const MeasureFlags& flags,
                                         const ConventionComparison& comparison) {
  std::vector<std::string> notes;
  if (flags.explain) {
    for (const Measurement& row : comparison.result.rows) {
      notes.push_back(
          fmt::format("{}: {}", row.policy.name, ExplainSpec(row.policy.policy.weights)));
    }
  }
  notes.push_back(
      "same_values: rows with the same number gave the same value for every weight; the second "
      "table has the first row of each number. at_k, at_n: the first weight on which two differ, "
      "channel after channel.");
  return notes;
}

// ---- Running ----------------------------------------------------------------------------------

Result<Outcome> Explain(const MeasureFlags& flags, const ReportFormat& format) {
  const auto named = MakePolicies(flags);
  if (!named) return tl::unexpected(named.error());
  const std::span<const NamedPolicy> policies =
      named->empty() ? TutorialPolicies() : std::span<const NamedPolicy>(*named);
  Report report = PolicyReport(policies);
  report.notes = InWords(policies);
  const auto written = WriteResult(flags.shared, format.write(report));
  if (!written) return tl::unexpected(written.error());
  return Outcome::kDone;
}

// A report and what --strict looks at.
struct Measured {
  Report report;
  NonFinite weights;
  NonFinite activations;
};

Result<Measured> MeasurePolicies(const MeasureFlags& flags, const MeasureOptions& options) {
  const auto result = Measure(options);
  if (!result) return tl::unexpected(result.error());
  Report report = MeasureReport(options, *result);
  report.notes = MeasureNotes(flags, *result);
  AddNoteOfOneRow(flags, result->m, report.notes);
  return Measured{std::move(report), result->weights_nonfinite, result->activations_nonfinite};
}

Result<Measured> MeasureAll(const MeasureFlags& flags, const MeasureOptions& options,
                            const Sweep& sweep) {
  const auto result = MeasureSweep(options, sweep);
  if (!result) return tl::unexpected(result.error());
  Report report = SweepReport(options, sweep, *result);
  report.notes = SweepNotes(flags, *result);
  const MeasureResult& common = result->common;
  return Measured{std::move(report), common.weights_nonfinite, common.activations_nonfinite};
}

Result<Measured> MeasureConventions(const MeasureFlags& flags, const MeasureOptions& options) {
  const auto comparison = CompareConventions(options);
  if (!comparison) return tl::unexpected(comparison.error());
  Report report = ComparisonReport(options, *comparison);
  report.notes = ComparisonNotes(flags, *comparison);
  const MeasureResult& result = comparison->result;
  return Measured{std::move(report), result.weights_nonfinite, result.activations_nonfinite};
}

std::string MatchNote(const MatchResult& result) {
  if (result.matches.empty() || result.matches.front().elements == 0) {
    return "No element could be compared.";
  }
  const OutputMatch& best = result.matches.front();
  const std::string_view explains = best.equal == best.elements
                                        ? "explain every element"
                                        : "come nearest, and none explains every element";
  return fmt::format("{} of {} candidates {}{}", result.best, result.matches.size(), explains,
                     result.best > 1 ? "; on these operands they cannot be told apart." : ".");
}

Result<Measured> MatchDevice(const MeasureFlags& flags, const MeasureOptions& options) {
  const auto result = MatchOutput(options, ParseSource(flags.match_output));
  if (!result) return tl::unexpected(result.error());
  Report report = MatchReport(options, flags.match_output, *result);
  report.notes = {MatchNote(*result)};
  return Measured{std::move(report), {}, {}};
}

// What --match-output cannot do without, or with.
Result<void> CheckMatch(const MeasureFlags& flags) {
  if (flags.match_output.empty()) return {};
  if (flags.weights.empty() || flags.activations.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--match-output needs the operands that the device had: --weights FILE and "
                     "--activations FILE");
  }
  if (flags.compare_conventions || flags.error == "weights" || flags.worst != 0 ||
      !flags.metrics.empty()) {
    return MakeError(StatusCode::kInvalidArgument,
                     "--match-output ranks policies by equal elements; leave out "
                     "--compare-conventions, --error, --worst and --metrics");
  }
  return {};
}

Result<Outcome> RunMeasure(const MeasureFlags& flags) {
  const auto format = FindReportFormat(flags.shared.format);
  if (!format) return tl::unexpected(format.error());
  if (!NamesData(flags)) return Explain(flags, *format);
  if (const auto checked = CheckMatch(flags); !checked) return tl::unexpected(checked.error());
  const auto sweep = MakeSweep(flags);
  if (!sweep) return tl::unexpected(sweep.error());
  auto options = MakeOptions(flags, *sweep);
  if (!options) return tl::unexpected(options.error());

  Result<Measured> measured;
  {
    ProgressLine progress("measuring " +
                          (options->weights ? options->weights->path : flags.random));
    if (!flags.shared.quiet) {
      options->progress = [&progress](double fraction) { progress.Update(fraction); };
      if (OnTerminal()) {
        options->estimate = [](const WorkEstimate& work) {
          PrintEstimate(work.multiply_adds, work.seconds);
        };
      }
    }
    measured = *sweep                        ? MeasureAll(flags, *options, **sweep)
               : !flags.match_output.empty() ? MatchDevice(flags, *options)
               : flags.compare_conventions   ? MeasureConventions(flags, *options)
                                             : MeasurePolicies(flags, *options);
  }
  if (!measured) return tl::unexpected(measured.error());

  const auto written = WriteResult(flags.shared, format->write(measured->report));
  if (!written) return tl::unexpected(written.error());
  const NonFinite& weights = measured->weights;
  const NonFinite& activations = measured->activations;
  if (weights.lines_left_out + activations.lines_left_out > 0 && flags.strict) {
    PrintError(fmt::format(
        "--strict: values that are not finite; {} NaN and {} Inf in the weights, "
        "the first at index {}; rows of activations left out: {}",
        weights.nan_count, weights.inf_count, weights.first_index, activations.lines_left_out));
    return Outcome::kConditionFailed;
  }
  return Outcome::kDone;
}

std::string PresetNames() {
  std::vector<std::string_view> names;
  for (const Preset& preset : AllPresets()) names.push_back(preset.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string HardwareNames() {
  std::vector<std::string_view> names;
  for (const HardwareModel& hardware : AllHardware()) names.push_back(hardware.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string InputWords() {
  std::vector<std::string> words;
  for (const InputInfo& info : AllInputs()) {
    words.push_back(fmt::format("{}{}{} ({})", info.name, info.parameter.empty() ? "" : ":",
                                info.parameter, info.summary));
  }
  return fmt::format("{}", fmt::join(words, "; "));
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
          "seed, or as --inputs says")
      ->type_name("MxKxN");
  command
      .add_option("--inputs", flags->inputs,
                  fmt::format("What the operands are like that are drawn: {}", InputWords()))
      ->type_name("NAME[:PARAMETER]");
  command
      .add_option("--activations", flags->activations,
                  "The activations, [M, K]. Default: normal(seed) of shape (64, K)")
      ->type_name("FILE[:TENSOR]");
  command
      .add_option("--error", flags->error,
                  "What the error is of: output (the product; the default) or weights")
      ->type_name("NAME")
      ->check(CLI::IsMember({"output", "weights"}));
  command
      .add_option("--policy", flags->policies,
                  "A policy to measure, such as \"w=float8_e4m3fn/channel a=bfloat16\"; "
                  "repeatable. Default: "
                  "the tutorial's three")
      ->type_name("POLICY");
  command
      .add_option("--policy-m1", flags->policy_m1,
                  "The policy of a product with M = 1, in place of all others, as devices have one "
                  "for it")
      ->type_name("POLICY");
  command.add_option("--preset", flags->preset, fmt::format("Policies by name: {}", PresetNames()))
      ->type_name("NAME");
  command
      .add_option("--dot-algorithm", flags->dot_algorithms,
                  fmt::format("What JAX or StableHLO calls an algorithm, such as "
                              "BF16_BF16_F32_X3/tpu, or the attribute "
                              "'<lhs_precision_type = bf16, ...>'; repeatable. BACKEND: {}",
                              fmt::join(DotBackends(), ", ")))
      ->type_name("NAME[/BACKEND]");
  command
      .add_option(
          "--like", flags->like,
          "Quantise as another package does, to the bit, such as qwix or torchao/int8; repeatable. "
          "Without --policy and --preset: the scheme's own format")
      ->type_name("NAME[/SCHEME]");
  command
      .add_option("--hardware", flags->hardware,
                  fmt::format("Sum as a unit of hardware does: {}", HardwareNames()))
      ->type_name("NAME");
  command
      .add_option("--metrics", flags->metrics,
                  fmt::format("Names separated by commas, or all: {}", MetricNames()))
      ->type_name("LIST");
  command
      .add_option("--match-output", flags->match_output,
                  "What a device returned for these weights and activations, [M, N]: ranks all "
                  "accumulators, orders and operand roundings, or the policies given, by how "
                  "exactly each explains it")
      ->type_name("FILE[:TENSOR]");
  command
      .add_option("--sweep", flags->sweep,
                  "Measure at each value of k (the first k of the operands), or of the block or "
                  "the split-k of each policy's accumulation, and plot the error: k=64..65536 "
                  "(powers of two between, and the ends), block=8..64:8 (steps of 8), "
                  "split-k=1,2,6")
      ->type_name("AXIS=VALUES");
  AddInteger(command, "--worst", "Also list that many of the worst output channels of each policy",
             flags->worst);
  command.add_flag("--compare-conventions", flags->compare_conventions,
                   "Quantise the weights as every known package does, in the format and "
                   "granularity of --policy (w=int8/channel), and say what each costs and where "
                   "two differ; by default the error is that of the weights");
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
