#include "src/experiment/measure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "src/base/parallel_for.h"
#include "src/experiment/nonfinite.h"
#include "src/experiment/product.h"
#include "src/experiment/work_estimate.h"
#include "src/kernels/kernels.h"
#include "src/metrics/partial.h"
#include "src/metrics/worst.h"

namespace narrowgauge {
namespace {

using internal::AllFinite;
using internal::CountNonFinite;
using internal::Kernels;
using internal::kPanelColumns;
using internal::MergeNonFinite;
using internal::Operand;
using internal::Product;
using internal::ReadyPolicy;
using internal::WorstChannels;

constexpr auto kPartial = static_cast<std::size_t>(ErrorStatistics::kPartialLength);

// ---- One block of channels ---------------------------------------------------------------------

// The errors of one channel under one policy.
struct ChannelErrors {
  explicit ChannelErrors(std::int64_t n) : channel(n) {}
  ChannelErrors(std::int64_t n, const ErrorStatistics& of_channel)
      : channel(n), statistics(of_channel) {}

  std::int64_t channel;
  ErrorStatistics statistics;
};

struct BlockResult {
  NonFinite nonfinite;
  std::vector<std::vector<ChannelErrors>> errors;  // [policy][finite channel, in order]
  std::vector<QuantizationCounts> counts;          // [policy]
};

class BlockMeasurer {
 public:
  BlockMeasurer(const Operand& weights, const Product* product,
                std::span<const ReadyPolicy> policies, ErrorNeeds needs, const Kernels& kernels)
      : weights_(weights),
        product_(product),
        policies_(policies),
        needs_(needs),
        kernels_(kernels) {}

  // Measures channels [first, first + count), count <= kPanelColumns: the error of the output if
  // there is a product, else that of the weights.
  [[nodiscard]] BlockResult Measure(std::int64_t first, std::int64_t count) const {
    return weights_.Precision() == DType::kFloat64 ? MeasureAs<double>(first, count)
                                                   : MeasureAs<float>(first, count);
  }

 private:
  template <typename T>
  [[nodiscard]] BlockResult MeasureAs(std::int64_t first, std::int64_t count) const {
    BlockResult result;
    result.errors.resize(policies_.size());
    for (std::vector<ChannelErrors>& errors : result.errors) {
      errors.reserve(static_cast<std::size_t>(count));
    }
    result.counts.resize(policies_.size());
    const std::int64_t depth = weights_.Depth();
    std::vector<T> copied;
    const T* const rows = RowsOf(first, count, copied);
    WeightRow<T> row{.values = std::vector<float>(static_cast<std::size_t>(depth))};
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < count; ++i) {
      row.channel = first + i;
      row.elements = {rows + i * depth, static_cast<std::size_t>(depth)};
      if (!IsFinite(row)) {
        MergeNonFinite(
            CountNonFinite(row.elements, weights_.StorageIndex(row.channel, 0), weights_.KStride()),
            result.nonfinite);
        continue;
      }
      kept.push_back(i);
      if (product_ != nullptr) continue;
      row.next = rows + std::min(i + 1, count - 1) * depth;
      for (std::size_t p = 0; p < policies_.size(); ++p) {
        ChannelErrors& errors = result.errors[p].emplace_back(row.channel);
        AddWeightErrors(*policies_[p].weights, row, result.counts[p], errors.statistics);
      }
    }
    if (product_ != nullptr) OutputErrors(first, rows, kept, result);
    return result;
  }

  // The channels' elements, in place where they lie so.
  const float* RowsOf(std::int64_t first, std::int64_t count, std::vector<float>& copied) const {
    if (const float* const in_place = weights_.InPlace(first)) return in_place;
    return CopyRows(first, count, copied);
  }
  const double* RowsOf(std::int64_t first, std::int64_t count, std::vector<double>& copied) const {
    return CopyRows(first, count, copied);
  }
  template <typename T>
  const T* CopyRows(std::int64_t first, std::int64_t count, std::vector<T>& copied) const {
    copied.resize(static_cast<std::size_t>(count * weights_.Depth()));
    weights_.Read(first, count, copied.data());
    return copied.data();
  }

  // Of one channel of weights: what all policies share, and room for their values.
  template <typename T>
  struct WeightRow {
    std::int64_t channel = 0;
    std::span<const T> elements = {};
    std::vector<double> squares = {};  // Of float32 elements: sum r^2 of each partial.
    const T* next = nullptr;           // The elements that are read next.
    std::vector<float> values;
  };

  // Whether all elements are finite. If one is not, nor is the sum of squares that it adds to.
  bool IsFinite(WeightRow<float>& row) const {
    const std::size_t size = row.elements.size();
    row.squares.resize((size + kPartial - 1) / kPartial);
    kernels_.sum_squares(row.elements.data(), static_cast<std::int64_t>(size), row.squares.data());
    return std::ranges::all_of(row.squares, [](double sum) { return std::isfinite(sum); });
  }
  bool IsFinite(const WeightRow<double>& row) const { return AllFinite(kernels_, row.elements); }

  // In parts that stay in the nearest cache, where the quantizer knows any.
  template <typename T>
  void AddWeightErrors(const internal::Quantizer& quantizer, WeightRow<T>& row,
                       QuantizationCounts& counts, ErrorStatistics& statistics) const {
    const std::size_t size = row.elements.size();
    const auto part = static_cast<std::size_t>(quantizer.PartLength());
    for (std::size_t begin = 0; begin < size; begin += std::min(part, size)) {
      const std::size_t end = begin + std::min(part, size - begin);
      const std::span<float> values(row.values.data(), end - begin);
      const internal::ErrorsAre errors =
          quantizer.Quantize(row.channel, static_cast<std::int64_t>(begin),
                             row.elements.subspan(begin, end - begin), values, counts);
      for (std::size_t start = begin; start < end; start += kPartial) {
        AddWeightPartial(row, start, values.subspan(start - begin, std::min(kPartial, end - start)),
                         errors, statistics);
      }
    }
  }

  void AddWeightPartial(const WeightRow<float>& row, std::size_t start,
                        std::span<const float> values, internal::ErrorsAre errors,
                        ErrorStatistics& statistics) const {
    const std::span<const float> elements = row.elements.subspan(start, values.size());
    if (needs_ == ErrorNeeds::kBasic) {
      const auto count = static_cast<std::int64_t>(values.size());
      const internal::ErrorSums sums =
          kernels_.error_sums(elements.data(), values.data(), count, errors, row.next + start);
      if (std::isfinite(sums.sum_squares)) {
        return internal::AddPartial(
            {count, sums.max_abs, sums.sum_abs, sums.sum_squares, row.squares[start / kPartial]},
            statistics);
      }
    }
    AddToStatistics(row.channel, start, std::vector<double>(elements.begin(), elements.end()),
                    values, statistics);
  }

  void AddWeightPartial(const WeightRow<double>& row, std::size_t start,
                        std::span<const float> values, internal::ErrorsAre /*errors*/,
                        ErrorStatistics& statistics) const {
    AddToStatistics(row.channel, start, row.elements.subspan(start, values.size()), values,
                    statistics);
  }

  // The plain way, for any metric.
  void AddToStatistics(std::int64_t n, std::size_t start, std::span<const double> elements,
                       std::span<const float> values, ErrorStatistics& statistics) const {
    const std::vector<double> widened(values.begin(), values.end());
    AddErrors(elements, widened, weights_.StorageIndex(n, static_cast<std::int64_t>(start)),
              weights_.KStride(), statistics, {.needs = needs_, .ulp_of = weights_.StoredDType()});
  }

  template <typename T>
  void OutputErrors(std::int64_t first, const T* rows, const std::vector<std::int64_t>& kept,
                    BlockResult& result) const {
    const std::int64_t depth = weights_.Depth();
    const Product::Reference reference = product_->MakeReference(rows, depth, kept);
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      const internal::Lines weights =
          product_->QuantizeWeights(p, *policies_[p].weights, first, rows, kept, result.counts[p]);
      product_->AddErrorsOf(p, weights, kept, first, weights_.Channels(), reference,
                            [&](std::int64_t i, ErrorStatistics statistics) {
                              result.errors[p].emplace_back(first + i, statistics);
                            });
    }
  }

  const Operand& weights_;
  const Product* const product_;
  const std::span<const ReadyPolicy> policies_;
  const ErrorNeeds needs_;
  const Kernels& kernels_;
};

// ---- The whole matrix --------------------------------------------------------------------------

// Takes blocks in any order and merges them in theirs, channel after channel, so that neither
// blocks nor threads leave a trace in the sums. Thread-safe.
class OrderedMerge {
 public:
  OrderedMerge(std::int64_t worst, MeasureResult& result) : result_(result) {
    for (std::size_t p = 0; p < result.rows.size(); ++p) {
      worst_.emplace_back(static_cast<std::size_t>(worst), WorstMetric());
    }
  }

  void Take(std::int64_t block, BlockResult part) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(block, std::move(part));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      Merge(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++next_;
    }
  }

  void Finish() {
    for (std::size_t p = 0; p < result_.rows.size(); ++p) {
      for (const internal::WorstChannel& channel : worst_[p].Channels()) {
        result_.rows[p].worst.push_back({channel.channel, channel.statistics});
      }
    }
  }

 private:
  void Merge(const BlockResult& part) {
    MergeNonFinite(part.nonfinite, result_.weights_nonfinite);
    for (std::size_t p = 0; p < result_.rows.size(); ++p) {
      result_.rows[p].weight_counts.Merge(part.counts[p]);
      for (const ChannelErrors& channel : part.errors[p]) {
        MergeErrors(channel.statistics, result_.rows[p].statistics);
        worst_[p].Add(channel.channel, channel.statistics);
      }
    }
  }

  MeasureResult& result_;
  std::mutex mutex_;
  std::map<std::int64_t, BlockResult> waiting_;
  std::int64_t next_ = 0;
  std::vector<WorstChannels> worst_;
};

// First indices as they are in the file.
QuantizationCounts InStorage(QuantizationCounts counts, const Operand& operand) {
  for (const auto& [name, counted] : kQuantizationCounts) {
    Occurrences& occurrences = counts.*counted;
    if (occurrences.count == 0) continue;
    const std::int64_t index = occurrences.first_index;
    occurrences.first_index =
        operand.StorageIndex(index / operand.Depth(), index % operand.Depth());
  }
  return counts;
}

Result<MeasureResult> MeasureMatrix(const MeasureOptions& options) {
  const auto policies = internal::PoliciesOf(options);
  if (!policies) return tl::unexpected(policies.error());
  const auto operands = internal::LoadOperands(options);
  if (!operands) return tl::unexpected(operands.error());
  const auto used = internal::PoliciesFor(options, *policies, *operands);
  const auto ready = internal::MakeReady(used, *operands->weights, options);
  if (!ready) return tl::unexpected(ready.error());
  const std::int64_t depth = operands->weights->Depth();
  internal::EstimateWork(options, used, *operands, {&depth, 1});
  return internal::MeasureOperands(*operands, *ready, options);
}

}  // namespace

namespace internal {

Result<std::span<const NamedPolicy>> PoliciesOf(const MeasureOptions& options) {
  const std::span<const NamedPolicy> policies =
      options.policies.empty() ? TutorialPolicies()
                               : std::span<const NamedPolicy>(options.policies);
  if (options.error_of == ErrorOf::kWeights) {
    if (!options.policy_m1) return policies;
    return MakeError(StatusCode::kInvalidArgument,
                     "a policy for M = 1 says nothing about the error of weights, which have no M");
  }
  for (const NamedPolicy& named : policies) {
    if (const auto known = Product::Supports(named.policy); !known) {
      return tl::unexpected(known.error());
    }
  }
  if (options.policy_m1) {
    if (const auto known = Product::Supports(options.policy_m1->policy); !known) {
      return tl::unexpected(known.error());
    }
  }
  return policies;
}

std::span<const NamedPolicy> PoliciesFor(const MeasureOptions& options,
                                         std::span<const NamedPolicy> policies,
                                         const Operands& operands) {
  const bool is_one_row = operands.activations && operands.activations->Channels() == 1;
  if (options.policy_m1 && is_one_row) return {&*options.policy_m1, 1};
  return policies;
}

Result<ReadyPolicy> MakeReady(const NamedPolicy& policy, const Operand& weights,
                              const MeasureOptions& options) {
  auto quantizer =
      MakeQuantizer(policy.policy.weights, weights,
                    {static_cast<std::uint64_t>(options.seed), options.isa, options.threads});
  if (!quantizer) return tl::unexpected(quantizer.error());
  return ReadyPolicy{policy, std::move(*quantizer)};
}

Result<std::vector<ReadyPolicy>> MakeReady(std::span<const NamedPolicy> policies,
                                           const Operand& weights, const MeasureOptions& options) {
  std::vector<ReadyPolicy> ready;
  for (const NamedPolicy& named : policies) {
    auto policy = MakeReady(named, weights, options);
    if (!policy) return tl::unexpected(policy.error());
    ready.push_back(std::move(*policy));
  }
  return ready;
}

bool AllFinite(const Kernels& kernels, std::span<const float> channel) {
  float absmax = 0;
  const auto count = static_cast<std::int64_t>(channel.size());
  if (count > 0) kernels.run_absmax(channel.data(), count, count, &absmax);
  return std::isfinite(absmax);
}

bool AllFinite(const Kernels&, std::span<const double> channel) {
  return std::ranges::all_of(channel, [](double v) { return std::isfinite(v); });
}

Result<MeasureResult> MeasureOperands(const Operands& operands,
                                      std::span<const ReadyPolicy> policies,
                                      const MeasureOptions& options) {
  const Operand& weights = *operands.weights;
  const ErrorNeeds needs = NeedsOf(options.metrics.empty() ? DefaultMetrics() : options.metrics) |
                           NeedsOf(std::vector<const Metric*>{&WorstMetric()});
  const Kernels& kernels = KernelsFor(options.isa);

  MeasureResult result;
  result.weights_tensor = weights.TensorName();
  result.stored_dtype = weights.StoredWord();
  result.k_axis = weights.Axis();
  result.k = weights.Depth();
  result.n = weights.Channels();
  for (const ReadyPolicy& policy : policies) {
    const auto bytes = CountStoredBytes(policy.named.policy.weights, result.k, result.n,
                                        operands.weights->StoredDType());
    if (!bytes) return tl::unexpected(bytes.error());
    Measurement& row = result.rows.emplace_back();
    row.policy = policy.named;
    row.bytes = *bytes;
  }

  std::unique_ptr<Product> product;
  if (operands.activations) {
    std::vector<NamedPolicy> named;
    for (const ReadyPolicy& policy : policies) named.push_back(policy.named);
    auto made = Product::Make(*operands.activations, named, needs, options, kernels);
    if (!made) return tl::unexpected(made.error());
    product = std::move(*made);
    result.m = operands.activations->Channels();
    result.activations_nonfinite = product->LeftOut();
    for (std::size_t p = 0; p < policies.size(); ++p) {
      result.rows[p].activation_counts = InStorage(product->Counts(p), *operands.activations);
    }
  }

  const BlockMeasurer measurer(weights, product.get(), policies, needs, kernels);
  OrderedMerge merge(options.worst, result);
  const std::int64_t blocks = (result.n + kPanelColumns - 1) / kPanelColumns;
  ParallelFor(
      blocks, options.threads,
      [&](std::int64_t block) {
        const std::int64_t first = block * kPanelColumns;
        merge.Take(block, measurer.Measure(first, std::min(kPanelColumns, result.n - first)));
      },
      [&](std::int64_t done) {
        if (options.progress) {
          options.progress(static_cast<double>(done) / static_cast<double>(blocks));
        }
      });
  merge.Finish();
  for (std::size_t p = 0; p < policies.size(); ++p) {
    QuantizationCounts& counts = result.rows[p].weight_counts;
    counts.Merge(policies[p].weights->SharedCounts());
    counts = InStorage(counts, weights);
  }
  return result;
}

}  // namespace internal

const Metric& WorstMetric() {
  static const Metric& metric = *std::ranges::find(AllMetrics(), "sqnr_db", &Metric::name);
  return metric;
}

Result<MeasureResult> Measure(const MeasureOptions& options) {
  try {
    return MeasureMatrix(options);
  } catch (const std::bad_alloc&) {
    return MakeError(StatusCode::kResourceExhausted, "not enough memory to measure this matrix");
  }
}

}  // namespace narrowgauge
