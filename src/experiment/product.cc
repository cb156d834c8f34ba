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

int SmallestExponent(DType dtype) { return 1 - GetDTypeInfo(dtype).exponent_bias; }

FactorExponents ExponentsOf(const PrecisionPolicy& policy) {
  const Factors factors = FactorsOf(policy);
  return {.x = SmallestExponent(factors.x), .w = SmallestExponent(factors.w)};
}

template <typename T>
Lines QuantizeLines(const Quantizer& quantizer, bool multiplies_codes, std::int64_t first,
                    std::int64_t count, const T* elements, std::int64_t depth,
                    const std::vector<std::int64_t>& kept, QuantizationCounts& counts) {
  Lines lines(count, depth);
  const auto size = static_cast<std::size_t>(depth);
  for (const std::int64_t i : kept) {
    const std::span<const T> line(elements + i * depth, size);
    quantizer.Quantize(first + i, 0, line, {lines.Line(i), size}, counts);
    if (multiplies_codes) lines.SetCodes(i, quantizer.Codes(first + i, line));
  }
  return lines;
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

}  // namespace

Result<void> Product::Supports(const PrecisionPolicy& policy) {
  if (const auto model = ModelOf(policy); !model) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("{}: \"{}\"", model.error().message, FormatPolicy(policy)));
  }
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
  std::vector<std::int64_t> kept;
  for (std::int64_t m = 0; m < x.Channels(); ++m) {
    if (product->Kept(m)) kept.push_back(m);
  }
  for (const NamedPolicy& named : policies) {
    const QuantizationSpec& spec = named.policy.activations;
    const bool multiplies_codes = MultipliesCodes(spec, named.policy.accumulation);
    const std::string key = fmt::format("{}{}", FormatSpec(spec), multiplies_codes ? " codes" : "");
    product->policies_.push_back(named.policy);
    product->key_of_policy_.push_back(key);
    if (product->quantized_.contains(key)) continue;
    auto quantizer = MakeQuantizer(spec, x,
                                   {static_cast<std::uint64_t>(options.seed) ^ kSeedOfActivations,
                                    options.isa, options.threads});
    if (!quantizer) return tl::unexpected(quantizer.error());
    QuantizationCounts counts;
    Lines lines = QuantizeLines(**quantizer, multiplies_codes, 0, x.Channels(),
                                product->values_.data(), x.Depth(), kept, counts);
    counts.Merge((*quantizer)->SharedCounts());
    product->quantized_.emplace(key, Quantized{std::move(lines), counts});
  }
  return product;
}

Product::Reference Product::MakeReference(const float* rows, std::int64_t depth,
                                          const std::vector<std::int64_t>& kept) const {
  Reference reference;
  reference.values.resize(static_cast<std::size_t>(rows_ * kPanelColumns));
  const std::vector<float> panel = PackPanel(rows, depth, kept);
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

template <typename T>
Lines Product::QuantizeWeights(std::size_t policy, const Quantizer& quantizer, std::int64_t first,
                               const T* rows, const std::vector<std::int64_t>& kept,
                               QuantizationCounts& counts) const {
  const PrecisionPolicy& rules = policies_[policy];
  return QuantizeLines(quantizer, MultipliesCodes(rules.weights, rules.accumulation), first,
                       kPanelColumns, rows, depth_, kept, counts);
}

template Lines Product::QuantizeWeights(std::size_t, const Quantizer&, std::int64_t, const float*,
                                        const std::vector<std::int64_t>&,
                                        QuantizationCounts&) const;
template Lines Product::QuantizeWeights(std::size_t, const Quantizer&, std::int64_t, const double*,
                                        const std::vector<std::int64_t>&,
                                        QuantizationCounts&) const;

std::vector<double> Product::Results(std::size_t policy, const Lines& weights,
                                     const std::vector<std::int64_t>& kept) const {
  const PrecisionPolicy& rules = policies_[policy];
  const Lines& x = quantized_.at(key_of_policy_[policy]).lines;
  const auto size = static_cast<std::size_t>(rows_ * kPanelColumns);
  const bool has_scales = x.run_length != 0 || weights.run_length != 0;
  if (rules.accumulation == AccumulationSpec() && !has_scales) {
    const std::vector<float> panel = PackPanel(weights.factors.data(), depth_, kept);
    std::vector<float> sums(size);
    kernels_.dot_float32(x.factors.data(), rows_, depth_, panel.data(), 0, sums.data());
    RoundFloats(kernels_, rules.output, sums);
    return {sums.begin(), sums.end()};
  }
  std::vector<double> product(size);
  MultiplyLines(kernels_, ModelOf(rules).value(), ExponentsOf(rules), x, rows_, weights, kept,
                product.data());
  const SumFormat output = SumFormatOf(rules.output);
  for (double& value : product) value = plain::RoundToSum(value, output);
  return product;
}

void Product::AddErrorsOf(std::size_t policy, const Lines& weights,
                          const std::vector<std::int64_t>& kept, std::int64_t first,
                          std::int64_t channels, const Reference& reference,
                          const std::function<void(std::int64_t, ErrorStatistics)>& take) const {
  const PrecisionPolicy& rules = policies_[policy];
  const std::vector<double> product = Results(policy, weights, kept);
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
