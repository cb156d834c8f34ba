#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "narrowgauge/experiment.h"
#include "src/backends/panel.h"
#include "src/base/checked_math.h"
#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"
#include "src/numerics/widen.h"
#include "src/quantize/int8_channel.h"

namespace narrowgauge {
namespace {

using internal::Kernels;
using internal::kPanelColumns;

constexpr std::int64_t kDefaultRows = 64;

// ---- Operands --------------------------------------------------------------------------------

// A rank-2 floating tensor of an open file.
struct StoredMatrix {
  std::unique_ptr<CheckpointReader> reader;
  const TensorInfo* info = nullptr;
  TensorView view;
};

std::string Describe(const MatrixSource& source, const TensorInfo& info) {
  return info.name.empty() ? source.path : fmt::format("{}:{}", source.path, info.name);
}

// float64 would be rounded before anything is measured.
bool IsFloatThatFloat32Holds(DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  return info.kind == DTypeKind::kFloat && info.total_bits <= 32;
}

Result<StoredMatrix> OpenMatrix(const MatrixSource& source, const CheckpointOptions& options) {
  auto reader = OpenCheckpoint(source.path, options);
  if (!reader) return tl::unexpected(reader.error());
  const auto index = FindMatrix(**reader, source.tensor);
  if (!index) return tl::unexpected(index.error());
  const TensorInfo& info = (*reader)->Tensors()[*index];
  if (!info.dtype || !IsFloatThatFloat32Holds(*info.dtype)) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("tensor {} has a dtype that cannot be measured; expected float32 "
                                 "or a floating dtype whose values float32 holds: {}",
                                 Describe(source, info), info.stored_dtype));
  }
  if (info.shape.size() != 2) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("tensor {} is not a matrix; expected two dimensions: shape {}",
                                 Describe(source, info), FormatShape(info.shape)));
  }
  auto view = (*reader)->View(*index);
  if (!view) return tl::unexpected(view.error());
  return StoredMatrix{std::move(*reader), &info, std::move(*view)};
}

// The weights as y = x * w needs them, whichever axis of the file is K.
struct Weights {
  TensorView view;
  std::int64_t depth, columns;      // K and N.
  std::int64_t k_stride, n_stride;  // In elements of the view.
};

Weights OrientWeights(TensorView view, KAxis axis) {
  const std::int64_t first = view.shape[0];
  const std::int64_t last = view.shape[1];
  if (axis == KAxis::kFirst) return {std::move(view), first, last, last, 1};
  return {std::move(view), last, first, 1, last};
}

// Widens `count` consecutive elements of a view.
void ReadElements(const TensorView& view, std::int64_t start, std::int64_t count, float* out) {
  internal::WidenToFloat32(view.dtype, view.bytes.data(), start, count, out);
}

// The rows of x that are finite, in float32 and rounded to bfloat16. Rows left out are zero.
struct Activations {
  std::int64_t rows = 0;
  std::vector<float> values;
  std::vector<float> rounded;
  std::vector<bool> kept;
  NonFinite nonfinite;
};

// Counts what is not finite among values whose flat index is first + i * stride.
void CountNonFinite(std::span<const float> values, std::int64_t first, std::int64_t stride,
                    NonFinite& counts) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    ++(std::isnan(values[i]) ? counts.nan_count : counts.inf_count);
    const std::int64_t index = first + static_cast<std::int64_t>(i) * stride;
    if (counts.first_index < 0 || index < counts.first_index) counts.first_index = index;
  }
}

void MergeNonFinite(const NonFinite& part, NonFinite& whole) {
  whole.nan_count += part.nan_count;
  whole.inf_count += part.inf_count;
  whole.lines_left_out += part.lines_left_out;
  if (part.first_index >= 0 && (whole.first_index < 0 || part.first_index < whole.first_index)) {
    whole.first_index = part.first_index;
  }
}

Activations PrepareActivations(const Kernels& kernels, std::int64_t rows, std::int64_t depth,
                               std::vector<float> values) {
  Activations x{
      rows, std::move(values), {}, std::vector<bool>(static_cast<std::size_t>(rows), true), {}};
  for (std::int64_t m = 0; m < rows; ++m) {
    const std::span<float> row(x.values.data() + m * depth, static_cast<std::size_t>(depth));
    NonFinite found;
    CountNonFinite(row, m * depth, 1, found);
    if (found.first_index < 0) continue;
    found.lines_left_out = 1;
    MergeNonFinite(found, x.nonfinite);
    x.kept[static_cast<std::size_t>(m)] = false;
    std::fill(row.begin(), row.end(), 0.0F);
  }
  x.rounded.resize(x.values.size());
  kernels.round_to_bfloat16(x.values.data(), static_cast<std::int64_t>(x.values.size()),
                            x.rounded.data());
  return x;
}

Result<Activations> LoadActivations(const MeasureOptions& options, const Kernels& kernels,
                                    std::int64_t depth) {
  if (!options.activations) {
    const auto count = internal::CheckedMultiply(kDefaultRows, depth);
    if (!count)
      return MakeError(StatusCode::kOutOfRange, "activations of shape (64, K) are too large");
    std::vector<float> values(static_cast<std::size_t>(*count));
    Normal(MakePrngKey(options.seed), ThreefryLayout::kPartitionable, DefaultNumericsProfile(),
           values, options.isa);
    return PrepareActivations(kernels, kDefaultRows, depth, std::move(values));
  }
  auto stored = OpenMatrix(*options.activations, options.checkpoint);
  if (!stored) return tl::unexpected(stored.error());
  const std::int64_t rows = stored->view.shape[0];
  if (stored->view.shape[1] != depth) {
    return MakeError(
        StatusCode::kFailedPrecondition,
        fmt::format("activations {} do not fit the weights; expected [M, K] with K = {} "
                    "as the weights have it: shape {}",
                    Describe(*options.activations, *stored->info), depth,
                    FormatShape(stored->view.shape)));
  }
  std::vector<float> values(static_cast<std::size_t>(rows * depth));
  ReadElements(stored->view, 0, rows * depth, values.data());
  return PrepareActivations(kernels, rows, depth, std::move(values));
}

// ---- One panel of channels -------------------------------------------------------------------

// What is known of a panel when it is done: for each channel and policy the statistics of its
// errors.
struct PanelResult {
  NonFinite nonfinite;
  std::vector<std::vector<ErrorStatistics>> by_policy;  // [policy][kept channel, in order]
};

class PanelMeasurer {
 public:
  PanelMeasurer(const Kernels& kernels, const Weights& weights, const Activations* activations,
                std::span<const NamedPolicy> policies)
      : kernels_(kernels), weights_(weights), x_(activations), policies_(policies) {}

  // Measures channels [first, first + columns), columns <= kPanelColumns. With activations the
  // error of the output, without them that of the weights.
  [[nodiscard]] PanelResult Measure(std::int64_t first, std::int64_t columns) const {
    PanelResult result;
    std::vector<float> panel(static_cast<std::size_t>(weights_.depth * kPanelColumns));
    const std::vector<std::int64_t> kept = LoadPanel(first, columns, panel, result.nonfinite);
    std::vector<double> reference;
    if (x_ != nullptr) {
      reference.resize(static_cast<std::size_t>(x_->rows * kPanelColumns));
      kernels_.dot_float64(x_->values.data(), x_->rows, weights_.depth, panel.data(),
                           reference.data());
    }
    std::vector<float> dequantized(panel.size());
    for (const NamedPolicy& named : policies_) {
      Dequantize(named.policy.weights, panel, dequantized);
      result.by_policy.push_back(
          x_ != nullptr ? OutputErrors(named.policy, dequantized, reference, first, kept)
                        : WeightErrors(panel, dequantized, first, kept));
    }
    return result;
  }

 private:
  // Fills the panel and returns the channels, counted from `first`, that are finite; the others are
  // counted and left zero.
  std::vector<std::int64_t> LoadPanel(std::int64_t first, std::int64_t columns,
                                      std::vector<float>& panel, NonFinite& nonfinite) const {
    const std::int64_t depth = weights_.depth;
    std::vector<float> block(static_cast<std::size_t>(depth * columns));  // As the view orders it.
    std::int64_t k_stride = 1;
    std::int64_t n_stride = depth;
    if (weights_.k_stride == 1) {
      ReadElements(weights_.view, first * weights_.n_stride, depth * columns, block.data());
    } else {
      k_stride = columns;
      n_stride = 1;
      for (std::int64_t k = 0; k < depth; ++k) {
        ReadElements(weights_.view, k * weights_.k_stride + first, columns,
                     block.data() + k * columns);
      }
    }
    std::vector<std::int64_t> kept;
    std::vector<float> channel(static_cast<std::size_t>(depth));
    for (std::int64_t n = 0; n < columns; ++n) {
      for (std::int64_t k = 0; k < depth; ++k) {
        channel[static_cast<std::size_t>(k)] =
            block[static_cast<std::size_t>(k * k_stride + n * n_stride)];
      }
      NonFinite found;
      CountNonFinite(channel, (first + n) * weights_.n_stride, weights_.k_stride, found);
      if (found.first_index < 0) {
        kept.push_back(n);
        continue;
      }
      found.lines_left_out = 1;
      MergeNonFinite(found, nonfinite);
      for (std::int64_t k = 0; k < depth; ++k) {
        block[static_cast<std::size_t>(k * k_stride + n * n_stride)] = 0.0F;
      }
    }
    internal::PackPanel(block.data(), k_stride, n_stride, depth, columns, panel.data());
    return kept;
  }

  void Dequantize(const QuantizationSpec& spec, const std::vector<float>& panel,
                  std::vector<float>& dequantized) const {
    switch (spec.dtype) {
      case DType::kBFloat16:
        kernels_.round_to_bfloat16(panel.data(), static_cast<std::int64_t>(panel.size()),
                                   dequantized.data());
        return;
      case DType::kInt8: {
        std::vector<float> scales(kPanelColumns);
        std::vector<std::int8_t> codes(panel.size());
        internal::QuantizeInt8Panel(kernels_, panel.data(), weights_.depth, Quotient::kDivide,
                                    scales.data(), codes.data(), dequantized.data());
        return;
      }
      default:
        dequantized = panel;
    }
  }

  std::vector<ErrorStatistics> WeightErrors(const std::vector<float>& panel,
                                            const std::vector<float>& dequantized,
                                            std::int64_t first,
                                            const std::vector<std::int64_t>& kept) const {
    std::vector<ErrorStatistics> channels;
    for (const std::int64_t n : kept) {
      ErrorStatistics channel;
      std::vector<double> reference;
      std::vector<double> value;
      for (std::int64_t start = 0; start < weights_.depth;
           start += ErrorStatistics::kPartialLength) {
        const std::int64_t end = std::min(start + ErrorStatistics::kPartialLength, weights_.depth);
        reference.clear();
        value.clear();
        for (std::int64_t k = start; k < end; ++k) {
          const auto at = static_cast<std::size_t>(k * kPanelColumns + n);
          reference.push_back(static_cast<double>(panel[at]));
          value.push_back(static_cast<double>(dequantized[at]));
        }
        ErrorStatistics partial;
        AddErrors(reference, value, start * weights_.k_stride + (first + n) * weights_.n_stride,
                  weights_.k_stride, partial);
        MergeErrors(partial, channel);
      }
      channels.push_back(channel);
    }
    return channels;
  }

  std::vector<ErrorStatistics> OutputErrors(const PrecisionPolicy& policy,
                                            const std::vector<float>& dequantized,
                                            const std::vector<double>& reference,
                                            std::int64_t first,
                                            const std::vector<std::int64_t>& kept) const {
    const std::vector<float>& x =
        policy.activations.dtype == DType::kBFloat16 ? x_->rounded : x_->values;
    std::vector<float> product(reference.size());
    kernels_.dot_float32(x.data(), x_->rows, weights_.depth, dequantized.data(), 0, product.data());
    if (policy.output == DType::kBFloat16) {
      kernels_.round_to_bfloat16(product.data(), static_cast<std::int64_t>(product.size()),
                                 product.data());
    }
    std::vector<ErrorStatistics> channels;
    const auto rows = static_cast<std::size_t>(x_->rows);
    std::vector<double> channel_reference(rows);
    std::vector<double> channel_value(rows);
    for (const std::int64_t n : kept) {
      for (std::size_t m = 0; m < rows; ++m) {
        const std::size_t at =
            m * static_cast<std::size_t>(kPanelColumns) + static_cast<std::size_t>(n);
        // A row left out has no reference.
        channel_reference[m] =
            x_->kept[m] ? reference[at] : std::numeric_limits<double>::quiet_NaN();
        channel_value[m] = static_cast<double>(product[at]);
      }
      ErrorStatistics& channel = channels.emplace_back();
      AddErrors(channel_reference, channel_value, first + n, weights_.columns, channel);
    }
    return channels;
  }

  const Kernels& kernels_;
  const Weights& weights_;
  const Activations* const x_;
  const std::span<const NamedPolicy> policies_;
};

// ---- The whole matrix ------------------------------------------------------------------------

Measurement CountBytes(const NamedPolicy& named, std::int64_t depth, std::int64_t columns) {
  Measurement row{.policy = named, .statistics = {}};
  const std::int64_t elements = depth * columns;  // Fits: the file holds them.
  row.weight_bytes = elements * GetDTypeInfo(named.policy.weights.dtype).total_bits / 8;
  if (named.policy.weights.granularity.kind == GranularityKind::kChannel) {
    row.scale_bytes = columns * static_cast<std::int64_t>(sizeof(float));
  }
  return row;
}

// Refuses, before anything is allocated, a depth whose panels cannot fit into the machine's memory.
Result<void> CheckMemory(const Weights& weights, const MeasureOptions& options) {
  constexpr std::int64_t kPanels = 3;  // As read, packed, dequantised.
  const auto needed = internal::CheckedMultiply(
      weights.depth, kPanels * kPanelColumns * static_cast<std::int64_t>(sizeof(float)) *
                         std::max(options.threads, 1));
  const std::int64_t available =
      std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
  if (needed && *needed <= available) return {};
  return MakeError(
      StatusCode::kResourceExhausted,
      fmt::format("not enough memory for panels of {} output channels with K = {}; {}: "
                  "{} bytes of memory",
                  kPanelColumns, weights.depth,
                  options.threads > 1 ? "try --threads 1" : "a smaller K is needed", available));
}

Result<MeasureResult> MeasureMatrix(const MeasureOptions& options) {
  const Kernels& kernels = internal::KernelsFor(options.isa);
  auto stored = OpenMatrix(options.weights, options.checkpoint);
  if (!stored) return tl::unexpected(stored.error());

  MeasureResult result;
  result.weights_tensor = stored->info->name;
  result.stored_dtype = stored->info->stored_dtype;
  result.k_axis = options.weights_k_axis.value_or(stored->reader->DefaultKAxis());
  const Weights weights = OrientWeights(stored->view, result.k_axis);
  result.k = weights.depth;
  result.n = weights.columns;

  if (const auto fits = CheckMemory(weights, options); !fits) return tl::unexpected(fits.error());
  std::optional<Activations> x;
  if (options.error_of == ErrorOf::kOutput) {
    auto loaded = LoadActivations(options, kernels, weights.depth);
    if (!loaded) return tl::unexpected(loaded.error());
    x = std::move(*loaded);
    result.m = x->rows;
    result.activations_nonfinite = x->nonfinite;
  }

  const auto policies = TutorialPolicies();
  const PanelMeasurer measurer(kernels, weights, x ? &*x : nullptr, policies);
  const std::int64_t panels = (weights.columns + kPanelColumns - 1) / kPanelColumns;
  std::vector<PanelResult> panel_results(static_cast<std::size_t>(panels));
  internal::ParallelFor(
      panels, options.threads,
      [&](std::int64_t p) {
        const std::int64_t first = p * kPanelColumns;
        panel_results[static_cast<std::size_t>(p)] =
            measurer.Measure(first, std::min(kPanelColumns, weights.columns - first));
      },
      [&](std::int64_t done) {
        if (options.progress) {
          options.progress(static_cast<double>(done) / static_cast<double>(panels));
        }
      });

  // Channels are merged one by one in their order, so panels leave no trace in the sums.
  for (const NamedPolicy& named : policies) {
    result.rows.push_back(CountBytes(named, weights.depth, weights.columns));
  }
  for (const PanelResult& panel : panel_results) {
    MergeNonFinite(panel.nonfinite, result.weights_nonfinite);
    for (std::size_t policy = 0; policy < policies.size(); ++policy) {
      for (const ErrorStatistics& channel : panel.by_policy[policy]) {
        MergeErrors(channel, result.rows[policy].statistics);
      }
    }
  }
  return result;
}

}  // namespace

Result<MeasureResult> Measure(const MeasureOptions& options) {
  try {
    return MeasureMatrix(options);
  } catch (const std::bad_alloc&) {
    return MakeError(StatusCode::kResourceExhausted,
                     fmt::format("not enough memory to measure a matrix of this depth: {}",
                                 options.weights.path));
  }
}

}  // namespace narrowgauge
