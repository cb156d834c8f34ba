#include "measure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace narrowgauge::app {
namespace {

std::string SourceText(const MatrixSource& source, const std::string& tensor) {
  return tensor.empty() ? source.path : source.path + ":" + tensor;
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

// In which order products were added.
std::string_view KernelWords(const MeasureResult& result) {
  const bool all_are_default = std::ranges::all_of(result.rows, [](const Measurement& row) {
    return row.policy.policy.accumulation == AccumulationSpec();
  });
  return all_are_default ? "float32 FMA chain, k ascending" : "emulated, as each acc= says";
}

// What the model of hardware that a policy sums as was held against.
Cell EvidenceCell(const PrecisionPolicy& policy) {
  if (policy.accumulation.hardware == nullptr) return NoValue{"no hardware"};
  const Factors factors = FactorsOf(policy);
  const HardwarePath* const path = PathFor(policy.accumulation, factors.x, factors.w);
  if (path == nullptr) return NoValue{"no product"};
  return std::string(HardwareEvidenceWords(path->evidence));
}

// One row per policy, its name in the column `name_key`.
ReportTable PolicyTable(const MeasureOptions& options, const MeasureResult& result,
                        const std::string& name_key) {
  ReportTable table{.key = "rows", .title = "", .columns = {{name_key, ""}}, .rows = {}};
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
  for (const QuantizationCount& count : kQuantizationCounts) add_count(std::string(count.name));
  table.columns.push_back({"activations_saturated", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"backward_over_zero", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"hardware_evidence", "", ShownTo::kEveryoneIfNotable});
  table.columns.push_back({"policy_text", "", ShownTo::kPrograms});
  for (const Measurement& row : result.rows) {
    const ErrorStatistics& statistics = row.statistics;
    std::vector<Cell> cells{row.policy.name};
    AddMetricCells(options.metrics, statistics, cells);
    cells.insert(cells.end(),
                 {row.bytes.codes, row.bytes.scales, row.bytes.padding,
                  BitsPerWeight(result, row.bytes), statistics.count, statistics.nonfinite_results,
                  IndexCell(statistics.first_nonfinite_result)});
    for (const QuantizationCount& count : kQuantizationCounts) {
      const Occurrences& occurrences = row.weight_counts.*count.counted;
      cells.emplace_back(occurrences.count);
      cells.push_back(IndexCell(occurrences.first_index));
    }
    cells.emplace_back(row.activation_counts.saturated.count);
    cells.push_back(BackwardOverZero(statistics));
    cells.push_back(EvidenceCell(row.policy.policy));
    cells.emplace_back(FormatPolicy(row.policy.policy));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

ReportTable WorstTable(const MeasureOptions& options, const MeasureResult& result,
                       const std::string& name_key) {
  ReportTable table{.key = "worst",
                    .title = fmt::format("Worst output channels, by {}", WorstMetric().name),
                    .columns = {{name_key, ""}, {"channel", ""}},
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

// What drawn operands are like: "normal(seed)", "ones".
std::string DrawnWords(InputSpec inputs) {
  if (inputs.kind == InputKind::kOnes) return FormatInputs(inputs);
  return FormatInputs(inputs) + "(seed)";
}

// The weights, unless they are from a file: outliers are those of the activations.
std::string DrawnWeightsWords(const InputSpec& inputs) {
  return DrawnWords(inputs.kind == InputKind::kOutlierChannels ? InputSpec() : inputs);
}

// What was measured, for all rows.
std::vector<ReportFact> Facts(const MeasureOptions& options, const MeasureResult& result) {
  const bool output = options.error_of == ErrorOf::kOutput;
  std::vector<ReportFact> facts;
  facts.push_back({"weights", options.weights ? SourceText(*options.weights, result.weights_tensor)
                                              : DrawnWeightsWords(options.inputs)});
  facts.push_back({"stored_dtype", result.stored_dtype});
  facts.push_back({"k", result.k});
  facts.push_back({"n", result.n});
  facts.push_back({"k_axis", std::string(KAxisName(result.k_axis))});
  if (output) {
    facts.push_back({"m", result.m});
    facts.push_back({"activations", options.activations ? SourceText(*options.activations,
                                                                     options.activations->tensor)
                                                        : DrawnWords(options.inputs)});
  }
  facts.push_back(
      {"seed", options.seed, output || options.random ? ShownTo::kEveryone : ShownTo::kPrograms});
  facts.push_back({"error_of", std::string(output ? "output" : "weights")});
  facts.push_back(
      {"reference", std::string(output ? "float64, compensated sums" : "stored weights")});
  facts.push_back({"backend", std::string("native")});
  facts.push_back({"kernel", std::string(output ? KernelWords(result) : "none")});
  facts.push_back({"isa", std::string(InstructionSetName(options.isa))});
  AddNonFiniteFacts("weights", "channels", result.weights_nonfinite, facts);
  if (output) AddNonFiniteFacts("activations", "rows", result.activations_nonfinite, facts);
  return facts;
}

// ---- Sweeps ------------------------------------------------------------------------------------

// The key of what is swept.
std::string SweepKey(const Sweep& sweep) {
  std::string key(SweepAxisName(sweep.axis));
  std::ranges::replace(key, '-', '_');
  return key;
}

Cell StagnationCell(const SweepResult& result, const SweepCurve& curve) {
  if (curve.stagnation) return *curve.stagnation;
  return NoValue{result.follows_sums ? "none in this sweep" : "sums are not followed"};
}

// One row per policy and value.
ReportTable SweepTable(const MeasureOptions& options, const Sweep& sweep,
                       const SweepResult& result) {
  ReportTable table{
      .key = "rows", .title = "", .columns = {{"policy", ""}, {SweepKey(sweep), ""}}, .rows = {}};
  AddMetricColumns(options.metrics, table);
  table.columns.insert(table.columns.end(),
                       {{"weight_bytes", "bytes", ShownTo::kPrograms},
                        {"scale_bytes", "bytes", ShownTo::kPrograms},
                        {"padding_bytes", "bytes", ShownTo::kPrograms},
                        {"elements", "", ShownTo::kPrograms},
                        {"nonfinite_result", "", ShownTo::kEveryoneIfNotable},
                        {"backward_over_zero", "", ShownTo::kEveryoneIfNotable},
                        {"outputs_unchanged", "", ShownTo::kPrograms},
                        {"outputs_changed", "", ShownTo::kPrograms},
                        {"stagnation_k", "", ShownTo::kPrograms},
                        {"policy_text", "", ShownTo::kPrograms}});
  const auto followed = [&](std::int64_t count) -> Cell {
    if (result.follows_sums) return count;
    return NoValue{"sums are not followed"};
  };
  for (const SweepCurve& curve : result.curves) {
    for (const SweepPoint& point : curve.points) {
      const Measurement& measurement = point.measurement;
      std::vector<Cell> cells{curve.policy.name, point.value};
      AddMetricCells(options.metrics, measurement.statistics, cells);
      cells.insert(cells.end(),
                   {measurement.bytes.codes, measurement.bytes.scales, measurement.bytes.padding,
                    measurement.statistics.count, measurement.statistics.nonfinite_results,
                    BackwardOverZero(measurement.statistics), followed(point.unchanged),
                    followed(point.changed), StagnationCell(result, curve),
                    FormatPolicy(measurement.policy.policy)});
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

ReportTable StagnationTable(const SweepResult& result) {
  ReportTable table{.key = "stagnation",
                    .title = "Where sums stop growing",
                    .columns = {{"policy", ""},
                                {"stagnation_k", ""},
                                {"last_unchanged", ""},
                                {"last_changed", ""}},
                    .rows = {}};
  for (const SweepCurve& curve : result.curves) {
    const SweepPoint& last = curve.points.back();
    table.rows.push_back(
        {curve.policy.name, StagnationCell(result, curve), last.unchanged, last.changed});
  }
  return table;
}

// The error that a plot shows: rel_frobenius, unless others were asked for, or there is no signal
// that it could be relative to.
const Metric& PlottedMetric(const MeasureOptions& options, const SweepResult& result) {
  const auto is_error = [](const Metric* metric) { return metric->better == BetterWhen::kLower; };
  const auto named = [](std::string_view name) {
    return &*std::ranges::find(AllMetrics(), name, &Metric::name);
  };
  const auto has_value = [&](const Metric* metric) {
    return std::ranges::any_of(result.curves, [&](const SweepCurve& curve) {
      return std::ranges::any_of(curve.points, [&](const SweepPoint& point) {
        return metric->compute(point.measurement.statistics).value.has_value();
      });
    });
  };
  std::vector<const Metric*> candidates;
  const Metric* const preferred = named("rel_frobenius");
  if (std::ranges::count(options.metrics, preferred) > 0) candidates.push_back(preferred);
  std::ranges::copy_if(options.metrics, std::back_inserter(candidates), is_error);
  candidates.push_back(preferred);
  candidates.push_back(named("mean_abs_err"));
  const auto found = std::ranges::find_if(candidates, has_value);
  return found == candidates.end() ? *preferred : **found;
}

ReportPlot SweepPlot(const MeasureOptions& options, const Sweep& sweep, const SweepResult& result) {
  const Metric& metric = PlottedMetric(options, result);
  ReportPlot plot{.x_label = std::string(SweepAxisName(sweep.axis)),
                  .y_label = std::string(metric.name),
                  .series = {}};
  for (const SweepCurve& curve : result.curves) {
    ReportPlot::Series& series = plot.series.emplace_back();
    series.name = curve.policy.name;
    for (const SweepPoint& point : curve.points) {
      series.points.push_back({static_cast<double>(point.value),
                               MetricCell(metric.compute(point.measurement.statistics))});
    }
  }
  return plot;
}

// ---- Conventions -------------------------------------------------------------------------------

Cell FiniteCell(double value) {
  if (std::isfinite(value)) return value;
  return NoValue{std::isnan(value) ? "NaN" : value > 0 ? "infinity" : "-infinity"};
}

// The rows that were not refused, each with the number of its group of equal values.
ReportTable AcceptedTable(const MeasureOptions& options, const ConventionComparison& comparison) {
  MeasureResult accepted = comparison.result;
  std::vector<std::int64_t> groups;
  std::vector<std::int64_t> group_of_row(comparison.conventions.size());
  std::int64_t count = 0;
  accepted.rows.clear();
  for (std::size_t row = 0; row < comparison.conventions.size(); ++row) {
    const ComparedConvention& convention = comparison.conventions[row];
    if (!convention.refused.empty()) continue;
    group_of_row[row] =
        convention.same_values_as == row ? ++count : group_of_row[convention.same_values_as];
    groups.push_back(group_of_row[row]);
    accepted.rows.push_back(comparison.result.rows[row]);
  }
  ReportTable table = PolicyTable(options, accepted, "convention");
  table.columns.insert(table.columns.begin() + 1, {"same_values", ""});
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    table.rows[row].insert(table.rows[row].begin() + 1, groups[row]);
  }
  return table;
}

ReportTable RefusedTable(const ConventionComparison& comparison) {
  ReportTable table{.key = "refused",
                    .title = "Conventions that refuse",
                    .columns = {{"convention", ""}, {"reason", ""}},
                    .rows = {}};
  for (std::size_t row = 0; row < comparison.conventions.size(); ++row) {
    const std::string& reason = comparison.conventions[row].refused;
    if (!reason.empty()) table.rows.push_back({comparison.result.rows[row].policy.name, reason});
  }
  return table;
}

ReportTable DifferenceTable(const ConventionComparison& comparison) {
  ReportTable table{.key = "differences",
                    .title = "Where two differ",
                    .columns = {{"first", ""},
                                {"second", ""},
                                {"elements_differing", ""},
                                {"at_k", ""},
                                {"at_n", ""},
                                {"first_value", ""},
                                {"second_value", ""},
                                {"difference", ""},
                                {"max_abs_difference", ""}},
                    .rows = {}};
  for (const ValueDifference& pair : comparison.differences) {
    const auto first = static_cast<double>(pair.first_value);
    const auto second = static_cast<double>(pair.second_value);
    table.rows.push_back({comparison.result.rows[pair.first].policy.name,
                          comparison.result.rows[pair.second].policy.name, pair.count, pair.k,
                          pair.n, FiniteCell(first), FiniteCell(second), FiniteCell(second - first),
                          FiniteCell(pair.max_abs_difference)});
  }
  return table;
}

}  // namespace

Report MeasureReport(const MeasureOptions& options, const MeasureResult& result) {
  Report report{.schema = "narrowgauge.measure/1",
                .title = "",
                .facts = Facts(options, result),
                .tables = {PolicyTable(options, result, "policy")},
                .notes = {}};
  if (options.worst > 0) report.tables.push_back(WorstTable(options, result, "policy"));
  return report;
}

Report SweepReport(const MeasureOptions& options, const Sweep& sweep, const SweepResult& result) {
  MeasureResult every = result.common;
  for (const SweepCurve& curve : result.curves) {
    for (const SweepPoint& point : curve.points) every.rows.push_back(point.measurement);
  }
  Report report{.schema = "narrowgauge.sweep/1",
                .title = "",
                .facts = Facts(options, every),
                .tables = {SweepTable(options, sweep, result)},
                .notes = {},
                .plots = {SweepPlot(options, sweep, result)}};
  // The k of a row is another than that of the operands.
  for (ReportFact& fact : report.facts) {
    if (fact.key == SweepKey(sweep)) fact.key = "operands_" + fact.key;
  }
  report.facts.insert(report.facts.begin(), {"sweep", std::string(SweepAxisName(sweep.axis))});
  if (result.follows_sums) report.tables.push_back(StagnationTable(result));
  return report;
}

Report ComparisonReport(const MeasureOptions& options, const ConventionComparison& comparison) {
  Report report{.schema = "narrowgauge.compare_conventions/1",
                .title = "",
                .facts = Facts(options, comparison.result),
                .tables = {AcceptedTable(options, comparison), DifferenceTable(comparison),
                           RefusedTable(comparison)},
                .notes = {}};
  report.facts.insert(report.facts.begin(),
                      {"policy", FormatPolicyBriefly(comparison.result.rows[0].policy.policy)});
  if (options.worst > 0) {
    report.tables.push_back(WorstTable(options, comparison.result, "convention"));
  }
  return report;
}

Report MatchReport(const MeasureOptions& options, const std::string& output,
                   const MatchResult& result) {
  ReportTable table{.key = "matches",
                    .title = "",
                    .columns = {{"policy", ""},
                                {"equal", ""},
                                {"elements", ""},
                                {"max_ulp", "ulp"},
                                {"hardware_evidence", "", ShownTo::kEveryoneIfNotable},
                                {"policy_text", "", ShownTo::kPrograms}},
                    .rows = {}};
  for (const OutputMatch& match : result.matches) {
    table.rows.push_back({match.policy.name, match.equal, match.elements, FiniteCell(match.max_ulp),
                          EvidenceCell(match.policy.policy), FormatPolicy(match.policy.policy)});
  }
  return {.schema = "narrowgauge.match_output/1",
          .title = "",
          .facts = {{"weights", SourceText(*options.weights, options.weights->tensor)},
                    {"activations", SourceText(*options.activations, options.activations->tensor)},
                    {"output", output},
                    {"output_dtype", result.output_dtype},
                    {"m", result.m},
                    {"k", result.k},
                    {"n", result.n},
                    {"best", result.best},
                    {"isa", std::string(InstructionSetName(options.isa))}},
          .tables = {std::move(table)},
          .notes = {}};
}

Report PolicyReport(std::span<const NamedPolicy> policies) {
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
          .notes = {}};
}

}  // namespace narrowgauge::app
