#include "narrowgauge/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "src/experiment/follow_sums.h"
#include "src/experiment/load_operands.h"
#include "src/experiment/measure.h"
#include "src/experiment/structured_inputs.h"
#include "src/experiment/work_estimate.h"

namespace narrowgauge {
namespace {

using internal::FollowSums;
using internal::Operands;

tl::unexpected<Error> Refuse(std::string message) {
  return MakeError(StatusCode::kInvalidArgument, std::move(message));
}

SweepResult Begin(const MeasureResult& measured, std::span<const NamedPolicy> policies) {
  SweepResult result;
  result.common = measured;
  result.common.rows.clear();
  for (const NamedPolicy& policy : policies) result.curves.emplace_back().policy = policy;
  return result;
}

// ---- Of k --------------------------------------------------------------------------------------

Result<void> CheckDepths(const MeasureOptions& options, std::span<const std::int64_t> depths,
                         std::int64_t own) {
  if (depths.back() > own) {
    return Refuse(fmt::format("--sweep k= takes the first k of the operands, which have {}: {}",
                              own, depths.back()));
  }
  if (!internal::AreCoupled(options.inputs)) return {};
  for (const std::int64_t depth : depths) {
    const auto known = internal::CheckInputs(options.inputs, {.x = true, .w = true}, depth);
    if (!known) return known;
  }
  return {};
}

// The operands of one point. `whole` are those of the largest k.
Result<Operands> OperandsAt(const MeasureOptions& options, const Operands& whole,
                            std::int64_t depth) {
  if (internal::AreCoupled(options.inputs)) {
    MeasureOptions at = options;
    at.random->k = depth;
    return internal::LoadOperands(at);
  }
  Operands cut;
  auto weights = whole.weights->First(depth);
  if (!weights) return tl::unexpected(weights.error());
  cut.weights = std::move(*weights);
  if (!whole.activations) return cut;
  auto activations = whole.activations->First(depth);
  if (!activations) return tl::unexpected(activations.error());
  cut.activations = std::move(*activations);
  return cut;
}

std::optional<std::int64_t> StagnationOf(std::span<const SweepPoint> points) {
  std::size_t first = points.size();  // Of those that change nothing.
  while (first > 1 && points[first - 1].changed == 0 && points[first - 1].unchanged > 0) --first;
  if (first == points.size()) return {};
  return points[first - 1].value;
}

Result<SweepResult> SweepDepth(MeasureOptions options, const Sweep& sweep) {
  const auto policies = internal::PoliciesOf(options);
  if (!policies) return tl::unexpected(policies.error());
  const bool follows =
      options.error_of == ErrorOf::kOutput && !internal::AreCoupled(options.inputs);
  if (follows && options.random) {  // Before they are drawn.
    const auto fits =
        FollowSums::CheckMemory(policies->size(), options.random->m, options.random->n);
    if (!fits) return tl::unexpected(fits.error());
  }
  const auto whole = internal::LoadOperands(options);
  if (!whole) return tl::unexpected(whole.error());
  const std::int64_t own = whole->weights->Depth();
  const auto known = CheckDepths(options, sweep.values, own);
  if (!known) return tl::unexpected(known.error());
  const std::span<const NamedPolicy> used = internal::PoliciesFor(options, *policies, *whole);

  std::optional<FollowSums> follow;
  if (follows) {
    const std::int64_t m = whole->activations->Channels();
    const std::int64_t n = whole->weights->Channels();
    const auto fits = FollowSums::CheckMemory(used.size(), m, n);
    if (!fits) return tl::unexpected(fits.error());
    follow.emplace(used.size(), m, n);
    options.outputs = [&follow](std::size_t policy, std::int64_t channel,
                                std::span<const double> reference, std::span<const double> result) {
      follow->Take(policy, channel, reference, result);
    };
  }

  internal::EstimateWork(options, used, *whole, sweep.values);

  // Time goes with k.
  const auto progress = std::exchange(options.progress, {});
  double all = 0;
  for (const std::int64_t depth : sweep.values) all += static_cast<double>(depth);
  double done = 0;

  SweepResult result;
  for (const std::int64_t depth : sweep.values) {
    const auto operands = OperandsAt(options, *whole, depth);
    if (!operands) return tl::unexpected(operands.error());
    const auto ready = internal::MakeReady(used, *operands->weights, options);
    if (!ready) return tl::unexpected(ready.error());
    const double share = static_cast<double>(depth);
    if (progress) {
      options.progress = [&](double fraction) { progress((done + share * fraction) / all); };
    }
    const auto measured = internal::MeasureOperands(*operands, *ready, options);
    if (!measured) return tl::unexpected(measured.error());
    done += share;
    if (result.curves.empty()) result = Begin(*measured, used);
    for (std::size_t p = 0; p < used.size(); ++p) {
      SweepPoint& point = result.curves[p].points.emplace_back();
      point.value = depth;
      point.measurement = measured->rows[p];
      if (follow) std::tie(point.unchanged, point.changed) = follow->Counts(p);
    }
    if (follow) follow->Advance();
    result.common.k = own;
    result.common.weights_nonfinite = measured->weights_nonfinite;
    result.common.activations_nonfinite = measured->activations_nonfinite;
  }
  result.follows_sums = follows;
  for (SweepCurve& curve : result.curves) curve.stagnation = StagnationOf(curve.points);
  return result;
}

// ---- Of an accumulation ------------------------------------------------------------------------

// The accumulation with its block or slices replaced. What is said of slices goes with them.
AccumulationSpec Replaced(AccumulationSpec accumulation, SweepAxis axis, std::int64_t value) {
  if (axis == SweepAxis::kBlock) {
    accumulation.block = value;
    return accumulation;
  }
  accumulation.slices = value;
  if (value == 1) {
    accumulation.partial.reset();
    accumulation.reduce.reset();
  }
  return accumulation;
}

// The policy at a value, which must be one that could have been given.
Result<NamedPolicy> PolicyAt(const NamedPolicy& named, SweepAxis axis, std::int64_t value) {
  const auto refuse = [&](std::string_view why) {
    return Refuse(fmt::format("--sweep {}= contradicts a policy: {}: \"{}\"", SweepAxisName(axis),
                              why, FormatPolicyBriefly(named.policy)));
  };
  if (named.policy.accumulation.hardware != nullptr) {
    return refuse("a unit of hardware has an order of its own");
  }
  PrecisionPolicy policy = named.policy;
  policy.accumulation = Replaced(policy.accumulation, axis, value);
  const auto read = ParsePolicy(FormatPolicy(policy));
  if (!read) return refuse(read.error().message);
  return NamedPolicy{FormatPolicyBriefly(*read), *read};
}

// "acc=bfloat16/block:B": what all points have in common.
std::string NameOf(const PrecisionPolicy& policy, SweepAxis axis) {
  PrecisionPolicy example = policy;
  example.accumulation = Replaced(policy.accumulation, axis, 2);
  std::string text = FormatPolicyBriefly(example);
  const std::string word = fmt::format("{}:", SweepAxisName(axis));
  const std::size_t at = text.find(word, text.find("acc="));
  if (at == std::string::npos) return text;
  return text.replace(at + word.size(), 1, axis == SweepAxis::kBlock ? "B" : "S");
}

Result<SweepResult> SweepAccumulation(MeasureOptions options, const Sweep& sweep) {
  if (options.error_of == ErrorOf::kWeights) {
    return Refuse(
        fmt::format("--sweep {}= changes how products are summed; the error of weights "
                    "has no sums",
                    SweepAxisName(sweep.axis)));
  }
  const auto policies = internal::PoliciesOf(options);
  if (!policies) return tl::unexpected(policies.error());
  const auto operands = internal::LoadOperands(options);
  if (!operands) return tl::unexpected(operands.error());
  std::vector<NamedPolicy> named;
  std::vector<NamedPolicy> swept;  // [named][value]
  for (const NamedPolicy& each : internal::PoliciesFor(options, *policies, *operands)) {
    std::vector<NamedPolicy> points;
    for (const std::int64_t value : sweep.values) {
      auto policy = PolicyAt(each, sweep.axis, value);
      if (!policy) return tl::unexpected(policy.error());
      points.push_back(std::move(*policy));
    }
    std::string name = NameOf(each.policy, sweep.axis);
    if (options.policy_m1 && &each == &*options.policy_m1) name += " (for M = 1)";
    if (std::ranges::find(named, name, &NamedPolicy::name) != named.end()) continue;
    named.push_back({name, each.policy});
    swept.insert(swept.end(), points.begin(), points.end());
  }
  options.policies = swept;
  options.policy_m1.reset();
  options.outputs = {};
  if (const auto known = internal::PoliciesOf(options); !known) {
    return tl::unexpected(known.error());
  }
  const auto ready = internal::MakeReady(swept, *operands->weights, options);
  if (!ready) return tl::unexpected(ready.error());
  const std::int64_t depth = operands->weights->Depth();
  internal::EstimateWork(options, swept, *operands, {&depth, 1});
  auto measured = internal::MeasureOperands(*operands, *ready, options);
  if (!measured) return tl::unexpected(measured.error());
  std::vector<Measurement> rows = std::exchange(measured->rows, {});
  SweepResult result = Begin(*measured, named);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    SweepPoint& point = result.curves[row / sweep.values.size()].points.emplace_back();
    point.value = sweep.values[row % sweep.values.size()];
    point.measurement = std::move(rows[row]);
  }
  return result;
}

}  // namespace

Result<SweepResult> MeasureSweep(const MeasureOptions& options, const Sweep& sweep) {
  if (sweep.values.empty()) return Refuse("a sweep needs values");
  try {
    return sweep.axis == SweepAxis::kK ? SweepDepth(options, sweep)
                                       : SweepAccumulation(options, sweep);
  } catch (const std::bad_alloc&) {
    return MakeError(StatusCode::kResourceExhausted, "not enough memory for this sweep");
  }
}

}  // namespace narrowgauge
