#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "narrowgauge/experiment.h"
#include "src/backends/emulated.h"
#include "src/experiment/jax_mean.h"
#include "src/kernels/kernels.h"
#include "src/quantize/int8_channel.h"

namespace narrowgauge {
namespace {

using internal::Kernels;

constexpr std::size_t kM = PrecisionArrays::kM;
constexpr std::size_t kK = PrecisionArrays::kK;
constexpr std::size_t kN = PrecisionArrays::kN;
static_assert(kN == internal::kPanelColumns, "w is a panel as it stands");
static_assert(kM * kN == internal::kMeanSide * internal::kMeanSide);

constexpr float kWeightFactor = 0.25F;

using Product = std::array<float, kM * kN>;

void RoundToBFloat16(const Kernels& kernels, std::span<const float> values,
                     std::span<float> rounded) {
  kernels.round_to_bfloat16(values.data(), static_cast<std::int64_t>(values.size()),
                            rounded.data());
}

// The product as XLA computes it without FMA: each product rounded, then each sum.
void MultiplySeparately(std::span<const float> x, std::span<const float> w, std::int64_t flip,
                        Product& product) {
  product.fill(0.0F);
  for (std::size_t m = 0; m < kM; ++m) {
    for (std::size_t step = 0; step < kK; ++step) {
      const std::size_t k = step ^ static_cast<std::size_t>(flip);
      for (std::size_t n = 0; n < kN; ++n) product[m * kN + n] += x[m * kK + k] * w[k * kN + n];
    }
  }
}

// The product as AMX computes it: per 32 k the even and the odd terms in chains of their own, begun
// at zero, whose sum is added to what the tiles before have left.
void MultiplyEvenOddTiles(const Kernels& kernels, std::span<const float> x,
                          std::span<const float> w, Product& product) {
  constexpr std::size_t kPairs = 16;  // Of k, in a tile.
  product.fill(0.0F);
  for (std::size_t tile = 0; tile < kK; tile += 2 * kPairs) {
    std::array<Product, 2> chains;
    for (std::size_t parity = 0; parity < 2; ++parity) {
      std::array<float, kM * kPairs> x_part;
      std::array<float, kPairs * kN> w_part;
      for (std::size_t pair = 0; pair < kPairs; ++pair) {
        const std::size_t k = tile + 2 * pair + parity;
        for (std::size_t m = 0; m < kM; ++m) x_part[m * kPairs + pair] = x[m * kK + k];
        for (std::size_t n = 0; n < kN; ++n) w_part[pair * kN + n] = w[k * kN + n];
      }
      kernels.dot_float32(x_part.data(), kM, kPairs, w_part.data(), 0, chains[parity].data());
    }
    for (std::size_t i = 0; i < product.size(); ++i) product[i] += chains[0][i] + chains[1][i];
  }
}

void Multiply(const Kernels& kernels, std::span<const float> x, std::span<const float> w,
              DotOrder order, MultiplyAdd multiply_add, Product& product) {
  if (order == DotOrder::kEvenOddTiles) {
    return MultiplyEvenOddTiles(kernels, x, w, product);
  }
  const std::int64_t flip = order == DotOrder::kSwappedPairs ? 1 : 0;
  if (multiply_add == MultiplyAdd::kSeparate) return MultiplySeparately(x, w, flip, product);
  kernels.dot_float32(x.data(), kM, kK, w.data(), flip, product.data());
}

PrecisionRow MakeRow(const Kernels& kernels, std::string_view policy, const Product& value,
                     const Product& reference, MeanOrder order) {
  Product errors;
  const float largest = kernels.absolute_errors(
      value.data(), reference.data(), static_cast<std::int64_t>(value.size()), errors.data());
  return {.policy = policy,
          .max_abs_err = largest,
          .mean_abs_err = internal::JaxMean(errors, order),
          .weight_bytes = kK * kN,
          .scale_bytes = kN * sizeof(float)};
}

}  // namespace

PrecisionTable EvaluatePrecisionPolicies(std::int64_t seed, const PrecisionTableOptions& options) {
  const NumericsProfile& profile = options.profile;
  const Kernels& kernels = internal::KernelsFor(options.isa);
  PrecisionTable table{.rows = {}, .arrays = std::make_unique_for_overwrite<PrecisionArrays>()};
  PrecisionArrays& arrays = *table.arrays;

  const auto keys = Split(MakePrngKey(seed), 2, options.layout);
  Normal(keys[0], options.layout, profile, arrays.x, options.isa);
  Normal(keys[1], options.layout, profile, arrays.w, options.isa);
  for (float& w : arrays.w) w *= kWeightFactor;

  const auto multiply = [&](std::span<const float> x, std::span<const float> w, DotOrder order,
                            Product& product) {
    Multiply(kernels, x, w, order, profile.multiply_add, product);
  };
  multiply(arrays.x, arrays.w, DotOrder::kAscending, arrays.reference);

  RoundToBFloat16(kernels, arrays.x, arrays.x_bfloat16);
  RoundToBFloat16(kernels, arrays.w, arrays.w_bfloat16);
  multiply(arrays.x_bfloat16, arrays.w_bfloat16, profile.bf16_to_float32_order,
           arrays.bf16_float32);
  // XLA accumulates in float32 here too; only the result is bfloat16.
  multiply(arrays.x_bfloat16, arrays.w_bfloat16, profile.bf16_to_bf16_order, arrays.bf16_bf16);
  RoundToBFloat16(kernels, arrays.bf16_bf16, arrays.bf16_bf16);

  // Normals are finite and their quarter no subnormal, so no profile flushes anything here.
  internal::QuantizeInt8Panel(kernels, arrays.w.data(), kK, profile.scale_quotient,
                              arrays.scales.data(), arrays.codes.data(), arrays.dequantized.data());
  multiply(arrays.x, arrays.dequantized, DotOrder::kAscending, arrays.int8_float32);

  const Product* const values[] = {&arrays.bf16_float32, &arrays.bf16_bf16, &arrays.int8_float32};
  const auto policies = TutorialPolicies();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i] =
        MakeRow(kernels, policies[i].name, *values[i], arrays.reference, profile.mean_order);
  }
  return table;
}

std::vector<PrecisionRow> EvaluateBfloat16Accumulators(const PrecisionArrays& arrays,
                                                       InstructionSet isa) {
  const Kernels& kernels = internal::KernelsFor(isa);
  const float* const x = arrays.x_bfloat16.data();
  const float* const w = arrays.w_bfloat16.data();
  std::vector<PrecisionRow> rows;
  for (const NamedPolicy& named : Bfloat16AccumulatorPolicies()) {
    Product value;
    const auto model =
        ModelOf(named.policy.accumulation, DType::kBFloat16, DType::kBFloat16).value();
    std::array<double, kM * kN> sums;
    internal::EmulatePanel(kernels, model, {}, x, kM, kK, w, sums.data());
    std::ranges::transform(sums, value.begin(), [](double sum) { return static_cast<float>(sum); });
    rows.push_back(MakeRow(kernels, named.name, value, arrays.reference, MeanOrder::kFloat64));
  }
  return rows;
}

}  // namespace narrowgauge
