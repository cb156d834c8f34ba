#include "src/experiment/product.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "src/backends/emulated.h"
#include "src/base/check.h"
#include "src/experiment/nonfinite.h"
#include "src/kernels/plain.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/sum_format.h"
#include "src/quantize/quantizer.h"

namespace narrowgauge::internal {
namespace {

// Element i of x and element i of w are not to be rounded by the same random bits.
constexpr std::uint64_t kSeedOfActivations = 0x61637469;

// The type whose values an operand has: of one with scales, whatever float32 the products of codes
// and scales are.
DType OperandType(const QuantizationSpec& spec) {
  return IsCast(spec) ? spec.dtype : DType::kFloat32;
}

Result<DotModel> ModelOf(const PrecisionPolicy& policy) {
  return narrowgauge::ModelOf(policy.accumulation, OperandType(policy.activations),
                              OperandType(policy.weights));
}

int SmallestExponent(const QuantizationSpec& spec) {
  return 1 - GetDTypeInfo(OperandType(spec)).exponent_bias;
}

FactorExponents ExponentsOf(const PrecisionPolicy& policy) {
  return {.x = SmallestExponent(policy.activations), .w = SmallestExponent(policy.weights)};
}

void RoundFloats(const Kernels& kernels, DType output, std::vector<float>& values) {
  if (output == DType::kFloat32 || output == DType::kFloat64) return;
  const auto codec = MakeCodecConstants(GetDTypeInfo(output), OverflowMode::kNative);
  NG_CHECK(codec.has_value());
  const auto count = static_cast<std::int64_t>(values.size());
  kernels.round_values(values.data(), count, *codec, values.data());
}

// Compensated like the kernel dot_float64, for operands of float64: products and sums are split
// into what is rounded and what that lost (two-product, two-sum).
double CompensatedDot(const float* x, const double* w, std::int64_t depth) {
  double sum = 0;
  double lost = 0;
  for (std::int64_t k = 0; k < depth; ++k) {
    const auto factor = static_cast<double>(x[k]);
    const double product = factor * w[k];
    lost += std::fma(factor, w[k], -product);
    const double total = sum + product;
    const double part = total - sum;
    lost += (sum - (total - part)) + (product - part);
    sum = total;
  }
  return sum + lost;
}

template <typename T>
std::vector<T> Magnitudes(const std::vector<T>& values) {
  std::vector<T> magnitudes(values.size());
  std::ranges::transform(values, magnitudes.begin(), [](T v) { return std::abs(v); });
  return magnitudes;
}

// Channels side by side in a panel; those that are not kept are zero.
std::vector<float> Pack(const float* rows, std::int64_t depth,
                        const std::vector<std::int64_t>& kept) {
  std::vector<float> panel(static_cast<std::size_t>(depth * kPanelColumns));
  for (const std::int64_t i : kept) {
    for (std::int64_t k = 0; k < depth; ++k) {
      panel[static_cast<std::size_t>(k * kPanelColumns + i)] = rows[i * depth + k];
    }
  }
  return panel;
}

}  // namespace

Result<void> Product::Supports(const PrecisionPolicy& policy) {
  const auto refuse = [&](const std::string& what) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("{}: \"{}\"", what, FormatPolicy(policy)));
  };
  if (policy.weights.scale_use == ScaleUse::kAfter ||
      policy.activations.scale_use == ScaleUse::kAfter) {
    return refuse("apply=after is not supported yet; scales are applied before the product");
  }
  if (const auto model = ModelOf(policy); !model) return refuse(model.error().message);
  return {};
}

Result<std::unique_ptr<Product>> Product::Make(const Operand& x,
                                               std::span<const NamedPolicy> policies,
                                               ErrorNeeds needs, const MeasureOptions& options,
                                               const Kernels& kernels) {
  std::unique_ptr<Product> product(new Product(kernels));
  product->needs_ = needs;
  product->outputs_ = options.outputs;
  product->rows_ = x.Channels();
  product->depth_ = x.Depth();
  product->values_.resize(static_cast<std::size_t>(x.Channels() * x.Depth()));
  product->kept_.assign(static_cast<std::size_t>(x.Channels()), true);
  x.Read(0, x.Channels(), product->values_.data());
  const auto depth = static_cast<std::size_t>(x.Depth());
  for (std::int64_t m = 0; m < x.Channels(); ++m) {
    const std::span<float> row(product->values_.data() + m * x.Depth(), depth);
    const NonFinite found = CountNonFinite<float>(row, x.StorageIndex(m, 0), x.KStride());
    if (found.lines_left_out == 0) continue;
    MergeNonFinite(found, product->left_out_);
    product->kept_[static_cast<std::size_t>(m)] = false;
    std::ranges::fill(row, 0.0F);
  }
  for (const NamedPolicy& named : policies) {
    product->policies_.push_back(named.policy);
    const std::string key = FormatSpec(named.policy.activations);
    product->key_of_policy_.push_back(key);
    if (product->quantized_.contains(key)) continue;
    auto quantizer = MakeQuantizer(named.policy.activations, x,
                                   {static_cast<std::uint64_t>(options.seed) ^ kSeedOfActivations,
                                    options.isa, options.threads});
    if (!quantizer) return tl::unexpected(quantizer.error());
    Quantized& quantized = product->quantized_[key];
    quantized.values.resize(product->values_.size());
    for (std::int64_t m = 0; m < x.Channels(); ++m) {
      if (!product->kept_[static_cast<std::size_t>(m)]) continue;
      (*quantizer)
          ->Quantize(m, 0, std::span<const float>(product->values_.data() + m * x.Depth(), depth),
                     {quantized.values.data() + m * x.Depth(), depth}, quantized.counts);
    }
    quantized.counts.Merge((*quantizer)->SharedCounts());
  }
  return product;
}

Product::Reference Product::MakeReference(const float* rows, std::int64_t depth,
                                          const std::vector<std::int64_t>& kept) const {
  Reference reference;
  reference.values.resize(static_cast<std::size_t>(rows_ * kPanelColumns));
  const std::vector<float> panel = Pack(rows, depth, kept);
  kernels_.dot_float64(values_.data(), rows_, depth, panel.data(), reference.values.data());
  if (Includes(needs_, ErrorNeeds::kBackward)) {
    reference.magnitudes.resize(reference.values.size());
    kernels_.dot_float64(Magnitudes(values_).data(), rows_, depth, Magnitudes(panel).data(),
                         reference.magnitudes.data());
  }
  return reference;
}

Product::Reference Product::MakeReference(const double* rows, std::int64_t depth,
                                          const std::vector<std::int64_t>& kept) const {
  Reference reference;
  reference.values.resize(static_cast<std::size_t>(rows_ * kPanelColumns));
  const bool backward = Includes(needs_, ErrorNeeds::kBackward);
  if (backward) reference.magnitudes.resize(reference.values.size());
  for (const std::int64_t i : kept) {
    const std::vector<double> w(rows + i * depth, rows + (i + 1) * depth);
    for (std::int64_t m = 0; m < rows_; ++m) {
      const auto at = static_cast<std::size_t>(m * kPanelColumns + i);
      reference.values[at] = CompensatedDot(values_.data() + m * depth, w.data(), depth);
      if (!backward) continue;
      const std::vector<float> x(values_.begin() + m * depth, values_.begin() + (m + 1) * depth);
      reference.magnitudes[at] = CompensatedDot(Magnitudes(x).data(), Magnitudes(w).data(), depth);
    }
  }
  return reference;
}

std::vector<double> Product::Multiply(const PrecisionPolicy& policy, const float* x,
                                      const std::vector<float>& panel) const {
  const auto size = static_cast<std::size_t>(rows_ * kPanelColumns);
  if (policy.accumulation == AccumulationSpec()) {
    std::vector<float> sums(size);
    kernels_.dot_float32(x, rows_, depth_, panel.data(), 0, sums.data());
    RoundFloats(kernels_, policy.output, sums);
    return {sums.begin(), sums.end()};
  }
  std::vector<double> product(size);
  EmulatePanel(kernels_, ModelOf(policy).value(), ExponentsOf(policy), x, rows_, depth_,
               panel.data(), product.data());
  const SumFormat output = SumFormatOf(policy.output);
  for (double& value : product) value = plain::RoundToSum(value, output);
  return product;
}

std::vector<double> Product::Results(std::size_t policy, const float* values,
                                     const std::vector<std::int64_t>& kept) const {
  const std::vector<float>& x = quantized_.at(key_of_policy_[policy]).values;
  return Multiply(policies_[policy], x.data(), Pack(values, depth_, kept));
}

void Product::AddErrorsOf(std::size_t policy, const float* values,
                          const std::vector<std::int64_t>& kept, std::int64_t first,
                          std::int64_t channels, const Reference& reference,
                          const std::function<void(std::int64_t, ErrorStatistics)>& take) const {
  const PrecisionPolicy& rules = policies_[policy];
  const std::vector<double> product = Results(policy, values, kept);
  const auto rows = static_cast<std::size_t>(rows_);
  std::vector<double> references(rows);
  std::vector<double> results(rows);
  std::vector<double> magnitudes(reference.magnitudes.empty() ? 0 : rows);
  for (const std::int64_t i : kept) {
    for (std::size_t m = 0; m < rows; ++m) {
      const std::size_t at =
          m * static_cast<std::size_t>(kPanelColumns) + static_cast<std::size_t>(i);
      // A row that was left out has no reference, which keeps its place in the order of sums.
      references[m] = kept_[m] ? reference.values[at] : std::numeric_limits<double>::quiet_NaN();
      results[m] = product[at];
      if (!magnitudes.empty()) magnitudes[m] = reference.magnitudes[at];
    }
    if (outputs_) outputs_(policy, first + i, references, results);
    ErrorStatistics statistics;
    AddErrors(references, results, first + i, channels, statistics,
              {.needs = needs_, .ulp_of = rules.output, .magnitudes = magnitudes});
    take(i, statistics);
  }
}

}  // namespace narrowgauge::internal
