#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "narrowgauge/experiment.h"
#include "src/base/parallel_for.h"
#include "src/experiment/load_operands.h"
#include "src/experiment/measure.h"
#include "src/experiment/product.h"
#include "src/experiment/work_estimate.h"
#include "src/metrics/ulp.h"

namespace narrowgauge {
namespace {

using internal::kPanelColumns;
using internal::Operand;
using internal::Operands;
using internal::Product;
using internal::ReadyPolicy;

// ---- Who may have computed it ------------------------------------------------------------------

// What an operand may have been rounded to before it was multiplied: a spec.
struct OperandForm {
  std::string spec;
  DType dtype;
  friend bool operator==(const OperandForm&, const OperandForm&) = default;
};

// NVIDIA's units cut float32 operands to tf32; libraries may have rounded them before.
std::vector<OperandForm> FormsOf(DType stored) {
  if (stored != DType::kFloat32) return {{std::string(DTypeName(stored)), stored}};
  return {{"float32", DType::kFloat32},
          {"tf32", DType::kTf32},
          {"tf32,round=zero", DType::kTf32},
          {"bfloat16", DType::kBFloat16},
          {"float16", DType::kFloat16}};
}

// Products of float32 in several passes: of sums in words, and on every unit for which there are
// any.
void AddSumsOfPasses(std::vector<std::string>& sums) {
  for (const std::string_view passes :
       {"passes=3", "passes=6", "passes=9", "passes=3,parts=tf32"}) {
    sums.push_back(fmt::format("float32,{}", passes));
    for (const HardwareModel& hardware : AllHardware()) {
      const std::string sum = fmt::format("{},{}", hardware.name, passes);
      const auto policy = ParsePolicy("acc=" + sum);
      if (policy && Product::Supports(*policy)) sums.push_back(sum);
    }
  }
}

// Sums that any library may form, of operands of one type.
std::vector<std::string> SumsOf(DType operands) {
  const std::string narrow(DTypeName(operands));
  std::vector<std::string> sums = {"float32", "float32,fma=separate", "float32/pairwise",
                                   "float32/pairwise,fma=separate", "float64"};
  const bool is_half = operands == DType::kBFloat16 || operands == DType::kFloat16;
  if (is_half) {
    sums.insert(sums.end(), {narrow, narrow + ",fma=separate", narrow + "/pairwise",
                             narrow + "/pairwise,fma=separate"});
  }
  for (const int block : {4, 8, 16, 32, 64, 128, 256, 512}) {
    sums.push_back(fmt::format("float32/block:{}", block));
    if (!is_half) continue;
    sums.push_back(fmt::format("{}/block:{},inner=float32", narrow, block));
    sums.push_back(fmt::format("{}/block:{},inner=float32,handoff=round", narrow, block));
  }
  for (const int slices : {2, 3, 4, 6, 8, 16, 32}) {
    sums.push_back(fmt::format("float32/split-k:{}", slices));
    if (!is_half) continue;
    sums.push_back(fmt::format("float32/split-k:{},partial={}", slices, narrow));
    sums.push_back(fmt::format("float32/split-k:{0},partial={1},reduce={1}", slices, narrow));
  }
  if (operands == DType::kFloat32) AddSumsOfPasses(sums);
  for (const HardwareModel& hardware : AllHardware()) {
    const AccumulationSpec accumulation = {.hardware = &hardware};
    if (PathFor(accumulation, operands, operands) != nullptr) sums.emplace_back(hardware.name);
  }
  return sums;
}

Result<std::vector<NamedPolicy>> Candidates(const Operands& operands, DType output) {
  std::vector<NamedPolicy> candidates;
  const std::vector<OperandForm> of_weights = FormsOf(operands.weights->StoredDType());
  for (const OperandForm& x : FormsOf(operands.activations->StoredDType())) {
    // Both are rounded alike, unless one of them is stored in a type of its own.
    const bool is_known = std::ranges::find(of_weights, x) != of_weights.end();
    if (!is_known && of_weights.size() > 1) continue;
    const OperandForm& w = is_known ? x : of_weights.front();
    for (const std::string& sum : SumsOf(x.dtype)) {
      const auto policy = ParsePolicy(
          fmt::format("w={} a={} acc={} out={}", w.spec, x.spec, sum, DTypeName(output)));
      if (!policy) return tl::unexpected(policy.error());
      if (!Product::Supports(*policy)) continue;
      candidates.push_back({FormatPolicyBriefly(*policy), *policy});
    }
  }
  return candidates;
}

// ---- How well each explains it -----------------------------------------------------------------

// Counts what a policy's results have in common with a device's.
class Comparison {
 public:
  explicit Comparison(DType output) : ulp_(output) {}

  void Add(double device, double ours) {
    ++elements_;
    if (device == ours || (std::isnan(device) && std::isnan(ours))) {
      ++equal_;
      return;
    }
    const bool have_distance = std::isfinite(device) && std::isfinite(ours);
    const double distance = have_distance
                                ? std::ldexp(std::abs(ours - device), -ulp_.Exponent(device))
                                : std::numeric_limits<double>::infinity();
    max_ulp_ = std::max(max_ulp_, distance);
  }

  void Merge(const Comparison& other) {
    elements_ += other.elements_;
    equal_ += other.equal_;
    max_ulp_ = std::max(max_ulp_, other.max_ulp_);
  }

  [[nodiscard]] OutputMatch Of(NamedPolicy policy) const {
    return {std::move(policy), elements_, equal_, max_ulp_};
  }

 private:
  internal::UlpOf ulp_;
  std::int64_t elements_ = 0;
  std::int64_t equal_ = 0;
  double max_ulp_ = 0;
};

class OutputMatcher {
 public:
  OutputMatcher(const Operands& operands, const Product& product,
                std::span<const ReadyPolicy> policies, const Operand& output,
                const MeasureOptions& options)
      : weights_(*operands.weights),
        product_(product),
        policies_(policies),
        output_(output),
        options_(options),
        device_(static_cast<std::size_t>(output.Channels() * output.Depth())),
        comparisons_(policies.size(), Comparison(output.StoredDType())) {
    output.Read(0, output.Channels(), device_.data());
  }

  std::vector<Comparison> Compare() {
    const std::int64_t channels = weights_.Channels();
    const std::int64_t blocks = (channels + kPanelColumns - 1) / kPanelColumns;
    internal::ParallelFor(
        blocks, options_.threads,
        [&](std::int64_t block) {
          const std::int64_t first = block * kPanelColumns;
          CompareBlock(first, std::min(kPanelColumns, channels - first));
        },
        [&](std::int64_t done) {
          if (!options_.progress) return;
          options_.progress(static_cast<double>(done) / static_cast<double>(blocks));
        });
    return comparisons_;
  }

 private:
  void CompareBlock(std::int64_t first, std::int64_t count) {
    const std::int64_t depth = weights_.Depth();
    const auto row_size = static_cast<std::size_t>(depth);
    std::vector<float> rows(static_cast<std::size_t>(count * depth));
    weights_.Read(first, count, rows.data());
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::span<const float> row(rows.data() + i * depth, row_size);
      if (internal::AllFinite(internal::KernelsFor(options_.isa), row)) kept.push_back(i);
    }
    QuantizationCounts ignored;
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      const internal::Lines weights =
          product_.QuantizeWeights(p, *policies_[p].weights, first, rows.data(), kept, ignored);
      Comparison comparison(output_.StoredDType());
      const std::vector<double> results = product_.Results(p, weights, kept);
      for (std::int64_t m = 0; m < output_.Channels(); ++m) {
        if (!product_.Kept(m)) continue;
        for (const std::int64_t i : kept) {
          comparison.Add(device_[static_cast<std::size_t>(m * output_.Depth() + first + i)],
                         results[static_cast<std::size_t>(m * kPanelColumns + i)]);
        }
      }
      const std::lock_guard<std::mutex> lock(mutex_);  // Counts and maxima do not mind the order.
      comparisons_[p].Merge(comparison);
    }
  }

  const Operand& weights_;
  const Product& product_;
  const std::span<const ReadyPolicy> policies_;
  const Operand& output_;
  const MeasureOptions& options_;
  std::vector<double> device_;  // [m][n]
  std::mutex mutex_;
  std::vector<Comparison> comparisons_;
};

Result<std::unique_ptr<Operand>> OpenOutput(const MatrixSource& source,
                                            const MeasureOptions& options,
                                            const Operands& operands) {
  auto output = internal::OpenOperand(source, options.checkpoint, KAxis::kLast, options.isa);
  if (!output) return output;
  const std::int64_t m = operands.activations->Channels();
  const std::int64_t n = operands.weights->Channels();
  if ((*output)->Channels() == m && (*output)->Depth() == n) return output;
  return MakeError(
      StatusCode::kFailedPrecondition,
      fmt::format("the output {} does not fit the operands; expected [M, N] = [{}, {}]: shape "
                  "[{}, {}]",
                  internal::DescribeSource(source, (*output)->TensorName()), m, n,
                  (*output)->Channels(), (*output)->Depth()));
}

bool IsBetter(const OutputMatch& a, const OutputMatch& b) {
  return a.equal != b.equal ? a.equal > b.equal : a.max_ulp < b.max_ulp;
}

Result<MatchResult> Match(const MeasureOptions& options, const MatrixSource& source) {
  const auto operands = internal::LoadOperands(options);
  if (!operands) return tl::unexpected(operands.error());
  if (operands->weights->Precision() != DType::kFloat32) {
    return MakeError(StatusCode::kFailedPrecondition,
                     "float64 weights have no accumulator to be found; expected a dtype that "
                     "float32 holds");
  }
  const auto output = OpenOutput(source, options, *operands);
  if (!output) return tl::unexpected(output.error());
  auto policies = options.policies.empty() ? Candidates(*operands, (*output)->StoredDType())
                                           : Result<std::vector<NamedPolicy>>(options.policies);
  if (!policies) return tl::unexpected(policies.error());
  std::vector<ReadyPolicy> ready;
  for (const NamedPolicy& named : *policies) {
    if (const auto known = Product::Supports(named.policy); !known) {
      return tl::unexpected(known.error());
    }
    auto policy = internal::MakeReady(named, *operands->weights, options);
    if (!policy) return tl::unexpected(policy.error());
    ready.push_back(std::move(*policy));
  }
  const auto product = Product::Make(*operands->activations, *policies, ErrorNeeds::kBasic, options,
                                     internal::KernelsFor(options.isa));
  if (!product) return tl::unexpected(product.error());

  const std::int64_t depth = operands->weights->Depth();
  internal::EstimateWork(options, *policies, *operands, {&depth, 1});

  MatchResult result = {.m = operands->activations->Channels(),
                        .k = operands->weights->Depth(),
                        .n = operands->weights->Channels(),
                        .output_dtype = (*output)->StoredWord()};
  OutputMatcher matcher(*operands, **product, ready, **output, options);
  const std::vector<Comparison> comparisons = matcher.Compare();
  for (std::size_t p = 0; p < ready.size(); ++p) {
    result.matches.push_back(comparisons[p].Of(ready[p].named));
  }
  std::ranges::stable_sort(result.matches, IsBetter);
  const auto is_best = [&](const OutputMatch& match) {
    return !IsBetter(result.matches.front(), match);
  };
  result.best = std::ranges::count_if(result.matches, is_best);
  return result;
}

}  // namespace

Result<MatchResult> MatchOutput(const MeasureOptions& options, const MatrixSource& output) {
  try {
    return Match(options, output);
  } catch (const std::bad_alloc&) {
    return MakeError(StatusCode::kResourceExhausted, "not enough memory to match this output");
  }
}

}  // namespace narrowgauge
