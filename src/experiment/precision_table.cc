#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "narrowgauge/experiment.h"
#include "src/backends/panel.h"
#include "src/experiment/jax_mean.h"
#include "src/kernels/kernels.h"
#include "src/quantize/int8_channel.h"

namespace narrowgauge {
namespace {

using internal::kPanelColumns;
using internal::Kernels;

// The tutorial's shapes. w has as many columns as a panel, so it is one.
constexpr std::int64_t kRows = 64;
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kColumns = 64;
static_assert(kColumns == kPanelColumns && kRows * kColumns == internal::kMeanSide * internal::kMeanSide);

constexpr float kWeightFactor = 0.25F;

std::vector<float> RoundedToBFloat16(const Kernels& kernels, const std::vector<float>& values) {
  std::vector<float> rounded(values.size());
  kernels.round_to_bfloat16(values.data(), static_cast<std::int64_t>(values.size()),
                            rounded.data());
  return rounded;
}

// The product as XLA computes it without FMA: each product rounded, then each sum.
std::vector<float> SeparateProduct(const std::vector<float>& x, const std::vector<float>& w,
                                   std::int64_t flip) {
  std::vector<float> product(kRows * kColumns, 0.0F);
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t step = 0; step < kDepth; ++step) {
      const std::size_t k = step ^ static_cast<std::size_t>(flip);
      for (std::size_t n = 0; n < kColumns; ++n) {
        product[m * kColumns + n] += x[m * kDepth + k] * w[k * kColumns + n];
      }
    }
  }
  return product;
}

// The product as AMX computes it: per 32 k the even and the odd terms in chains of their own, begun at
// zero, whose sum is added to what the tiles before have left.
std::vector<float> EvenOddTileProduct(const std::vector<float>& x, const std::vector<float>& w) {
  constexpr std::size_t kTile = 32;
  std::vector<float> product(kRows * kColumns, 0.0F);
  for (std::size_t m = 0; m < kRows; ++m) {
    for (std::size_t tile = 0; tile < kDepth; tile += kTile) {
      std::array<float, kColumns> chains[2] = {};
      for (std::size_t k = tile; k < tile + kTile; ++k) {
        for (std::size_t n = 0; n < kColumns; ++n) {
          float& sum = chains[k % 2][n];
          sum = std::fma(x[m * kDepth + k], w[k * kColumns + n], sum);
        }
      }
      for (std::size_t n = 0; n < kColumns; ++n) {
        product[m * kColumns + n] += chains[0][n] + chains[1][n];
      }
    }
  }
  return product;
}

std::vector<float> Product(const Kernels& kernels, const std::vector<float>& x,
                           const std::vector<float>& w, DotOrder order, MultiplyAdd multiply_add) {
  if (order == DotOrder::kEvenOddTiles) return EvenOddTileProduct(x, w);
  const std::int64_t flip = order == DotOrder::kSwappedPairs ? 1 : 0;
  if (multiply_add == MultiplyAdd::kSeparate) return SeparateProduct(x, w, flip);
  std::vector<float> product(kRows * kColumns);
  kernels.dot_float32(x.data(), kRows, kDepth, w.data(), flip, product.data());
  return product;
}

// |value - reference|, element by element, in float32.
std::vector<float> AbsoluteErrors(const std::vector<float>& value,
                                  const std::vector<float>& reference) {
  std::vector<float> errors(value.size());
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] = std::fabs(value[i] - reference[i]);
  return errors;
}

PrecisionRow MakeRow(std::string_view policy, const std::vector<float>& value,
                     const std::vector<float>& reference, MeanOrder order) {
  const std::vector<float> errors = AbsoluteErrors(value, reference);
  return {.policy = policy,
          .max_abs_err = *std::max_element(errors.begin(), errors.end()),
          .mean_abs_err = internal::JaxMean(errors, order),
          .weight_bytes = kDepth * kColumns,
          .scale_bytes = kColumns * static_cast<std::int64_t>(sizeof(float))};
}

}  // namespace

PrecisionTable EvaluatePrecisionPolicies(std::int64_t seed, const PrecisionTableOptions& options) {
  const NumericsProfile& profile = options.profile;
  const Kernels& kernels = internal::KernelsFor(options.isa);
  PrecisionTable table;
  PrecisionArrays& arrays = table.arrays;

  const auto keys = Split(MakePrngKey(seed), 2, options.layout);
  arrays.x.resize(kRows * kDepth);
  arrays.w.resize(kDepth * kColumns);
  Normal(keys[0], options.layout, profile, arrays.x, options.isa);
  Normal(keys[1], options.layout, profile, arrays.w, options.isa);
  for (float& w : arrays.w) w *= kWeightFactor;

  const auto product = [&](const std::vector<float>& x, const std::vector<float>& w,
                           DotOrder order) {
    return Product(kernels, x, w, order, profile.multiply_add);
  };
  arrays.reference = product(arrays.x, arrays.w, DotOrder::kAscending);

  const std::vector<float> x_rounded = RoundedToBFloat16(kernels, arrays.x);
  const std::vector<float> w_rounded = RoundedToBFloat16(kernels, arrays.w);
  arrays.bf16_float32 = product(x_rounded, w_rounded, profile.bf16_to_float32_order);
  // XLA accumulates in float32 here too; only the result is bfloat16.
  arrays.bf16_bf16 = RoundedToBFloat16(
      kernels, profile.bf16_to_bf16_order == profile.bf16_to_float32_order
                   ? arrays.bf16_float32
                   : product(x_rounded, w_rounded, profile.bf16_to_bf16_order));

  // Normals are finite and their quarter no subnormal, so no profile flushes anything here.
  arrays.scales.resize(kColumns);
  arrays.codes.resize(kDepth * kColumns);
  std::vector<float> dequantized(kDepth * kColumns);
  internal::QuantizeInt8Panel(kernels, arrays.w.data(), kDepth, profile.scale_quotient,
                              arrays.scales.data(), arrays.codes.data(), dequantized.data());
  arrays.int8_float32 = product(arrays.x, dequantized, DotOrder::kAscending);

  const std::vector<float>* const values[] = {&arrays.bf16_float32, &arrays.bf16_bf16,
                                              &arrays.int8_float32};
  const auto policies = TutorialPolicies();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i] = MakeRow(policies[i].name, *values[i], arrays.reference, profile.mean_order);
  }
  return table;
}

std::vector<PrecisionRow> EvaluateBfloat16Accumulators(const PrecisionArrays& arrays,
                                                       InstructionSet isa) {
  const Kernels& kernels = internal::KernelsFor(isa);
  const std::vector<float> x = RoundedToBFloat16(kernels, arrays.x);
  const std::vector<float> w = RoundedToBFloat16(kernels, arrays.w);
  std::vector<PrecisionRow> rows;
  for (const NamedPolicy& named : Bfloat16AccumulatorPolicies()) {
    std::vector<float> value(kRows * kColumns);
    const std::int64_t block = named.policy.accumulation.float32_block;
    if (block == 0) {
      kernels.dot_bfloat16(x.data(), kRows, kDepth, w.data(), value.data());
    } else {
      internal::DotBFloat16BetweenBlocks(kernels, x.data(), kRows, kDepth, block, w.data(),
                                         value.data());
    }
    rows.push_back(MakeRow(named.name, value, arrays.reference, MeanOrder::kFloat64));
  }
  return rows;
}

}  // namespace narrowgauge
