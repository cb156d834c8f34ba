#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "narrowgauge/experiment.h"
#include "src/base/parallel_for.h"
#include "src/experiment/load_operands.h"
#include "src/experiment/measure.h"
#include "src/experiment/product.h"

namespace narrowgauge {
namespace {

using internal::kPanelColumns;
using internal::Operand;
using internal::Operands;
using internal::ReadyPolicy;

constexpr std::string_view kOurName = "narrowgauge";

// ---- Who takes part ----------------------------------------------------------------------------

Result<PrecisionPolicy> PolicyToCompare(const MeasureOptions& options) {
  if (options.policies.empty()) return ParsePolicy("w=int8/channel");
  if (options.policies.size() > 1) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("conventions are compared under one policy: {} were given",
                                 options.policies.size()));
  }
  const PrecisionPolicy& policy = options.policies.front().policy;
  if (policy.weights.convention != nullptr) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("all conventions are compared; leave out like=: \"{}\"",
                                 FormatSpec(policy.weights)));
  }
  if (IsCast(policy.weights)) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("conventions are about scales; expected weights that have some, "
                                 "such as w=int8/channel: \"{}\"",
                                 FormatSpec(policy.weights)));
  }
  return policy;
}

bool HaveOneFormat(const QuantizationSpec& a, const QuantizationSpec& b) {
  return a.block_format == b.block_format && (a.block_format || a.dtype == b.dtype);
}

// The conventions for a format.
std::vector<const Convention*> ConventionsFor(const QuantizationSpec& weights) {
  std::vector<const Convention*> rows;
  for (const Convention& row : AllConventions()) {
    const auto spec = ParseSpec(row.spec);
    if (spec && HaveOneFormat(*spec, weights)) rows.push_back(&row);
  }
  return rows;
}

// The policy with its weights quantised by a convention, its format and granularity kept.
Result<PrecisionPolicy> Follow(const Convention& convention, const PrecisionPolicy& policy) {
  const QuantizationSpec& own = policy.weights;
  const QuantizationSpec plain =
      own.block_format ? MakeSpec(*own.block_format) : MakeSpec(own.dtype, own.granularity);
  const auto spec =
      ParseSpec(fmt::format("{},like={}", FormatSpec(plain), ConventionName(convention)));
  if (!spec) return tl::unexpected(spec.error());
  PrecisionPolicy followed = policy;
  followed.weights = *spec;
  return followed;
}

// What a package says of data, or of a granularity that it does not have.
bool IsRefusal(const Error& error) {
  return error.code == StatusCode::kInvalidArgument ||
         error.code == StatusCode::kFailedPrecondition;
}

struct Contestants {
  std::vector<ComparedConvention> conventions;
  std::vector<NamedPolicy> policies;      // Of each convention.
  std::vector<ReadyPolicy> ready;         // Of those that were not refused,
  std::vector<std::size_t> row_of_ready;  // whose rows these are.
};

Result<void> AddContestant(const Convention* convention, const PrecisionPolicy& policy,
                           const Operands& operands, const MeasureOptions& options,
                           Contestants& contestants) {
  const std::string name =
      convention == nullptr ? std::string(kOurName) : ConventionName(*convention);
  const auto followed =
      convention == nullptr ? Result<PrecisionPolicy>(policy) : Follow(*convention, policy);
  const NamedPolicy named{name, followed.value_or(policy)};
  const auto ready = [&]() -> Result<ReadyPolicy> {
    if (!followed) return tl::unexpected(followed.error());
    if (operands.activations) {
      const auto known = internal::Product::Supports(named.policy);
      if (!known) return tl::unexpected(known.error());
    }
    return internal::MakeReady(named, *operands.weights, options);
  };
  auto made = ready();
  if (!made && (convention == nullptr || !IsRefusal(made.error()))) {
    return tl::unexpected(made.error());
  }
  const std::size_t row = contestants.conventions.size();
  contestants.conventions.push_back({convention, made ? "" : made.error().message, row});
  contestants.policies.push_back(named);
  if (made) {
    contestants.ready.push_back(std::move(*made));
    contestants.row_of_ready.push_back(row);
  }
  return {};
}

// ---- Where two differ --------------------------------------------------------------------------

bool AreSame(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Differences of two rows; indices are n * K + k.
struct PairDifference {
  std::int64_t count = 0;
  std::int64_t first_index = -1;
  float first_value = 0, second_value = 0;
  double max_abs = 0;

  void Note(std::int64_t index, float a, float b) {
    if (count++ == 0) {
      first_index = index;
      first_value = a;
      second_value = b;
    }
    const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    if (!(difference <= max_abs)) max_abs = difference;  // NaN stays.
  }

  void Merge(const PairDifference& part) {
    if (part.count == 0) return;
    if (count == 0 || part.first_index < first_index) {
      first_index = part.first_index;
      first_value = part.first_value;
      second_value = part.second_value;
    }
    count += part.count;
    if (!(part.max_abs <= max_abs)) max_abs = part.max_abs;
  }
};

// Quantises every channel under all policies and compares the values, each pair once. Sums are of
// integers and first indices lowest ones, so that threads leave no trace.
class DifferenceFinder {
 public:
  DifferenceFinder(const Operand& weights, std::span<const ReadyPolicy> policies,
                   const MeasureOptions& options)
      : weights_(weights),
        policies_(policies),
        options_(options),
        pairs_(policies.size() * policies.size()) {}

  void Run(const std::function<void(double)>& progress) {
    const std::int64_t blocks = (weights_.Channels() + kPanelColumns - 1) / kPanelColumns;
    internal::ParallelFor(
        blocks, options_.threads,
        [&](std::int64_t block) {
          const std::int64_t first = block * kPanelColumns;
          const std::int64_t count = std::min(kPanelColumns, weights_.Channels() - first);
          Merge(weights_.Precision() == DType::kFloat64 ? Compare<double>(first, count)
                                                        : Compare<float>(first, count));
        },
        [&](std::int64_t done) {
          if (progress) progress(static_cast<double>(done) / static_cast<double>(blocks));
        });
  }

  // Of policies first < second.
  [[nodiscard]] const PairDifference& Pair(std::size_t first, std::size_t second) const {
    return pairs_[first * policies_.size() + second];
  }

 private:
  template <typename T>
  [[nodiscard]] std::vector<PairDifference> Compare(std::int64_t first, std::int64_t count) const {
    const auto depth = static_cast<std::size_t>(weights_.Depth());
    const internal::Kernels& kernels = internal::KernelsFor(options_.isa);
    std::vector<PairDifference> found(pairs_.size());
    std::vector<T> channels(static_cast<std::size_t>(count) * depth);
    weights_.Read(first, count, channels.data());
    std::vector<std::vector<float>> values(policies_.size(), std::vector<float>(depth));
    QuantizationCounts ignored;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::span<const T> channel(channels.data() + static_cast<std::size_t>(i) * depth,
                                       depth);
      if (!internal::AllFinite(kernels, channel)) continue;
      for (std::size_t p = 0; p < policies_.size(); ++p) {
        policies_[p].weights->Quantize(first + i, 0, channel, values[p], ignored);
      }
      ComparePairs((first + i) * weights_.Depth(), values, found);
    }
    return found;
  }

  static void ComparePairs(std::int64_t first_index, const std::vector<std::vector<float>>& values,
                           std::vector<PairDifference>& found) {
    for (std::size_t a = 0; a < values.size(); ++a) {
      for (std::size_t b = a + 1; b < values.size(); ++b) {
        const std::vector<float>& one = values[a];
        const std::vector<float>& other = values[b];
        if (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0)
          continue;
        PairDifference& pair = found[a * values.size() + b];
        for (std::size_t k = 0; k < one.size(); ++k) {
          if (AreSame(one[k], other[k])) continue;
          pair.Note(first_index + static_cast<std::int64_t>(k), one[k], other[k]);
        }
      }
    }
  }

  void Merge(const std::vector<PairDifference>& found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < pairs_.size(); ++i) pairs_[i].Merge(found[i]);
  }

  const Operand& weights_;
  const std::span<const ReadyPolicy> policies_;
  const MeasureOptions& options_;
  std::mutex mutex_;
  std::vector<PairDifference> pairs_;  // [first][second]
};

// Groups rows that have the same values, and lists the pairs of groups.
void ListDifferences(const DifferenceFinder& finder, std::span<const std::size_t> row_of_ready,
                     std::int64_t depth, ConventionComparison& comparison) {
  std::vector<std::size_t> firsts;  // The first policy of each group.
  for (std::size_t p = 0; p < row_of_ready.size(); ++p) {
    const auto same = std::ranges::find_if(
        firsts, [&](std::size_t first) { return finder.Pair(first, p).count == 0; });
    if (same == firsts.end()) {
      firsts.push_back(p);
    } else {
      comparison.conventions[row_of_ready[p]].same_values_as = row_of_ready[*same];
    }
  }
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    for (std::size_t j = i + 1; j < firsts.size(); ++j) {
      const PairDifference& pair = finder.Pair(firsts[i], firsts[j]);
      comparison.differences.push_back({.first = row_of_ready[firsts[i]],
                                        .second = row_of_ready[firsts[j]],
                                        .count = pair.count,
                                        .k = pair.first_index % depth,
                                        .n = pair.first_index / depth,
                                        .first_value = pair.first_value,
                                        .second_value = pair.second_value,
                                        .max_abs_difference = pair.max_abs});
    }
  }
}

Result<ConventionComparison> Compare(MeasureOptions options) {
  const auto policy = PolicyToCompare(options);
  if (!policy) return tl::unexpected(policy.error());
  const auto operands = internal::LoadOperands(options);
  if (!operands) return tl::unexpected(operands.error());
  Contestants contestants;
  std::vector<const Convention*> conventions = {nullptr};
  for (const Convention* const row : ConventionsFor(policy->weights)) conventions.push_back(row);
  for (const Convention* const convention : conventions) {
    const auto added = AddContestant(convention, *policy, *operands, options, contestants);
    if (!added) return tl::unexpected(added.error());
  }

  const auto progress = std::move(options.progress);
  const auto half = [&progress](double done) {
    return [&progress, done](double fraction) {
      if (progress) progress(done + fraction / 2);
    };
  };
  options.progress = half(0);
  auto measured = internal::MeasureOperands(*operands, contestants.ready, options);
  if (!measured) return tl::unexpected(measured.error());

  ConventionComparison comparison;
  std::vector<Measurement> rows = std::exchange(measured->rows, {});
  comparison.result = std::move(*measured);
  for (const NamedPolicy& named : contestants.policies) {
    comparison.result.rows.emplace_back().policy = named;
  }
  for (std::size_t p = 0; p < rows.size(); ++p) {
    comparison.result.rows[contestants.row_of_ready[p]] = std::move(rows[p]);
  }
  comparison.conventions = std::move(contestants.conventions);

  DifferenceFinder finder(*operands->weights, contestants.ready, options);
  finder.Run(half(0.5));
  ListDifferences(finder, contestants.row_of_ready, comparison.result.k, comparison);
  return comparison;
}

}  // namespace

Result<ConventionComparison> CompareConventions(const MeasureOptions& options) {
  try {
    return Compare(options);
  } catch (const std::bad_alloc&) {
    return MakeError(StatusCode::kResourceExhausted, "not enough memory to compare conventions");
  }
}

}  // namespace narrowgauge
