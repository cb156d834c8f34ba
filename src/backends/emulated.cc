#include "src/backends/emulated.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "src/base/checked_math.h"
#include "src/kernels/plain.h"

namespace narrowgauge::internal {
namespace {

constexpr auto kColumns = static_cast<std::size_t>(kPanelColumns);
using Sums = std::array<double, kColumns>;

// What float32 arithmetic does itself: a fused multiply-add rounds once.
bool IsFloat32Chain(const InnerSum& inner) {
  return inner.order == InnerOrder::kChain && inner.format == SumFormat() &&
         !inner.rounds_products && !inner.odd_before_even && inner.lanes == 1;
}

// One row of x: what Evaluator of plain_dot.cc does, for all columns of a panel at a time.
class RowEvaluator {
 public:
  // `start` stands for the zeros that the sums of blocks are added to.
  RowEvaluator(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
               const float* x, std::int64_t depth, const float* panel, const Sums& start)
      : kernels_(kernels),
        model_(model),
        exponents_(exponents),
        x_(x),
        depth_(depth),
        panel_(panel),
        start_(start) {}

  [[nodiscard]] Sums Slices() const {
    if (model_.slices == 1) return Slice(0, depth_);
    const std::int64_t length = DivideUp(depth_, model_.slices);
    Sums sums = {};
    for (std::int64_t s = 0; s < SlicesThatMatter(model_.slices, depth_); ++s) {
      const std::int64_t first = std::min(s * length, depth_);
      Sums partial = Slice(first, first + std::min(length, depth_ - first));
      Round(model_.partial, partial);
      if (s == 0) {
        sums = partial;
      } else {
        kernels_.add_to_sums(partial.data(), model_.reduce, sums.data());
      }
    }
    return sums;
  }

 private:
  [[nodiscard]] Sums Slice(std::int64_t begin, std::int64_t end) const {
    if (model_.block == 0) return Inner(begin, end);
    const std::int64_t blocks = DivideUp(end - begin, model_.block);
    const auto block_sums = [&](std::int64_t b) {
      const std::int64_t first = begin + b * model_.block;
      Sums sums = Inner(first, first + std::min(model_.block, end - first));
      if (model_.rounds_block_sums) Round(model_.outer, sums);
      return sums;
    };
    if (model_.outer_is_pairwise) {
      Sums sums = Tree(0, blocks, model_.outer, block_sums);
      Round(model_.outer, sums);
      return sums;
    }
    Sums sums = start_;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Sums block = block_sums(b);
      kernels_.add_to_sums(block.data(), model_.outer, sums.data());
    }
    return sums;
  }

  static void Round(const SumFormat& format, Sums& sums) {
    for (double& value : sums) value = plain::RoundToSum(value, format);
  }

  // Sums leaves [begin, end) by halves; one alone is as it is.
  template <typename Leaf>
  [[nodiscard]] Sums Tree(std::int64_t begin, std::int64_t end, const SumFormat& format,
                          const Leaf& leaf) const {
    if (begin == end) return {};
    if (end - begin == 1) return leaf(begin);
    const std::int64_t middle = begin + (end - begin) / 2;
    Sums sums = Tree(begin, middle, format, leaf);
    const Sums right = Tree(middle, end, format, leaf);
    kernels_.add_to_sums(right.data(), format, sums.data());
    return sums;
  }

  [[nodiscard]] Sums Inner(std::int64_t begin, std::int64_t end) const {
    const InnerSum& inner = model_.inner;
    switch (inner.order) {
      case InnerOrder::kChain:
        return Lanes(begin, end);
      case InnerOrder::kPairwise: {
        Sums sums;
        kernels_.sum_pairwise(x_ + begin, panel_ + begin * kPanelColumns, end - begin, inner.format,
                              inner.rounds_products, sums.data());
        return sums;
      }
      case InnerOrder::kAligned:
        return inner.alignment == Alignment::kEvenAndOddThenSum ? AllPlainly(begin, end)
                                                                : Aligned(begin, end);
      case InnerOrder::kExact:
        return Exactly(begin, end);
      case InnerOrder::kInteger:
        return Integers(begin, end);
    }
    return {};
  }

  [[nodiscard]] Sums Float32Chain(std::int64_t begin, std::int64_t end) const {
    std::array<float, kColumns> sums;
    kernels_.dot_float32(x_ + begin, 1, end - begin, panel_ + begin * kPanelColumns, 0,
                         sums.data());
    Sums widened;
    std::ranges::copy(sums, widened.begin());
    return widened;
  }

  [[nodiscard]] Sums Lanes(std::int64_t begin, std::int64_t end) const {
    if (IsFloat32Chain(model_.inner)) return Float32Chain(begin, end);
    const InnerSum& inner = model_.inner;
    const std::int64_t lanes = inner.lanes;
    std::vector<Sums> sums(static_cast<std::size_t>(lanes));
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const std::int64_t first = std::min(begin + lane, end);
      const ChainSteps steps = {.count = (end - first + lanes - 1) / lanes,
                                .stride = lanes,
                                .swaps = inner.odd_before_even};
      kernels_.add_chain(x_ + first, 1, depth_, panel_ + first * kPanelColumns, steps, inner.format,
                         inner.rounds_products, sums[static_cast<std::size_t>(lane)].data());
    }
    for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
      for (std::size_t i = 0; i + 1 < sums.size(); i += 2) {
        Sums sum = sums[i];
        kernels_.add_to_sums(sums[i + 1].data(), inner.format, sum.data());
        sums[i / 2] = sum;
      }
    }
    return sums[0];
  }

  [[nodiscard]] Sums Aligned(std::int64_t begin, std::int64_t end) const {
    const InnerSum& inner = model_.inner;
    Sums sums = {};
    kernels_.add_aligned(x_ + begin, panel_ + begin * kPanelColumns,
                         {.count = end - begin,
                          .group = inner.group,
                          .bits = inner.bits,
                          .x_min_exponent = exponents_.x,
                          .w_min_exponent = exponents_.w,
                          .products_first = inner.alignment == Alignment::kProductsThenSum},
                         inner.format, sums.data());
    return sums;
  }

  // Sums of products that are integers are exact in float64.
  [[nodiscard]] Sums Integers(std::int64_t begin, std::int64_t end) const {
    const IntegerOverflow overflow = model_.inner.overflow;
    Sums sums = {};
    if (overflow == IntegerOverflow::kSaturate16) {
      for (std::int64_t k = begin; k < end; k += 2) AddClippedPairs(k, end, sums);
    } else {
      kernels_.dot_float64(x_ + begin, 1, end - begin, panel_ + begin * kPanelColumns, sums.data());
    }
    if (overflow != IntegerOverflow::kExact) {
      for (double& sum : sums) sum = WrapToInt32(sum);
    }
    return sums;
  }

  void AddClippedPairs(std::int64_t k, std::int64_t end, Sums& sums) const {
    const float* const w = panel_ + k * kPanelColumns;
    const float* const next_w = k + 1 < end ? w + kPanelColumns : w;
    const auto x = static_cast<double>(x_[k]);
    const double next_x = k + 1 < end ? static_cast<double>(x_[k + 1]) : 0;
    for (std::size_t n = 0; n < kColumns; ++n) {
      const double pair = x * static_cast<double>(w[n]) + next_x * static_cast<double>(next_w[n]);
      sums[n] += std::clamp(pair, -0x1p15, 0x1p15 - 1);
    }
  }

  // The columns that the kernel leaves are summed plainly.
  [[nodiscard]] Sums Exactly(std::int64_t begin, std::int64_t end) const {
    Sums sums;
    const std::uint64_t left = kernels_.sum_exactly(x_ + begin, panel_ + begin * kPanelColumns,
                                                    end - begin, model_.inner.format, sums.data());
    for (std::size_t n = 0; n < kColumns; ++n) {
      if ((left >> n & 1U) != 0) sums[n] = Plainly(begin, end, n);
    }
    return sums;
  }

  // What no kernel does, of one column.
  [[nodiscard]] double Plainly(std::int64_t begin, std::int64_t end, std::size_t n) const {
    const auto length = static_cast<std::size_t>(end - begin);
    std::vector<float> w(length);
    for (std::size_t i = 0; i < length; ++i) {
      w[i] = panel_[(static_cast<std::size_t>(begin) + i) * kColumns + n];
    }
    return PlainDot({.inner = model_.inner}, {x_ + begin, length}, w, exponents_);
  }

  [[nodiscard]] Sums AllPlainly(std::int64_t begin, std::int64_t end) const {
    Sums sums;
    for (std::size_t n = 0; n < kColumns; ++n) sums[n] = Plainly(begin, end, n);
    return sums;
  }

  const Kernels& kernels_;
  const DotModel& model_;
  const FactorExponents exponents_;
  const float* const x_;
  const std::int64_t depth_;
  const float* const panel_;
  const Sums start_;
};

// Subnormal operands as zeros.
std::vector<float> Flushed(const float* values, std::size_t count, int min_exponent) {
  const float smallest = std::ldexp(1.0F, min_exponent);
  std::vector<float> flushed(values, values + count);
  for (float& value : flushed) {
    if (std::fabs(value) < smallest) value = std::copysign(0.0F, value);
  }
  return flushed;
}

// All products of a row in one chain, which a kernel forms for many rows at a time.
bool IsOneChain(const DotModel& model) {
  return model.inner.order == InnerOrder::kChain && model.inner.lanes == 1 && model.block == 0 &&
         model.slices == 1;
}

void EmulateChain(const Kernels& kernels, const InnerSum& chain, const float* x, std::int64_t rows,
                  std::int64_t depth, const float* panel, double* out) {
  const std::int64_t size = rows * kPanelColumns;
  if (IsFloat32Chain(chain)) {
    std::vector<float> sums(static_cast<std::size_t>(size));
    kernels.dot_float32(x, rows, depth, panel, 0, sums.data());
    std::ranges::copy(sums, out);
    return;
  }
  std::fill_n(out, size, 0.0);
  kernels.add_chain(x, rows, depth, panel, {.count = depth, .swaps = chain.odd_before_even},
                    chain.format, chain.rounds_products, out);
}

// One pass over all rows; the sums of blocks are added to what `out` holds, other sums replace it.
void EmulatePass(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                 const float* x, std::int64_t rows, std::int64_t depth, const float* panel,
                 double* out) {
  if (IsOneChain(model)) return EmulateChain(kernels, model.inner, x, rows, depth, panel, out);
  for (std::int64_t m = 0; m < rows; ++m) {
    Sums start;
    std::copy_n(out + m * kPanelColumns, kPanelColumns, start.begin());
    const RowEvaluator row(kernels, model, exponents, x + m * depth, depth, panel, start);
    std::ranges::copy(row.Slices(), out + m * kPanelColumns);
  }
}

}  // namespace

std::vector<float> PackPanel(const float* rows, std::int64_t depth,
                             const std::vector<std::int64_t>& kept) {
  std::vector<float> panel(static_cast<std::size_t>(depth * kPanelColumns));
  for (const std::int64_t i : kept) {
    for (std::int64_t k = 0; k < depth; ++k) {
      panel[static_cast<std::size_t>(k * kPanelColumns + i)] = rows[i * depth + k];
    }
  }
  return panel;
}

void EmulatePanel(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                  const float* x, std::int64_t rows, std::int64_t depth, const float* panel,
                  double* out) {
  std::vector<float> x_flushed;
  std::vector<float> panel_flushed;
  if (model.flushes_operands) {
    x_flushed = Flushed(x, static_cast<std::size_t>(rows * depth), exponents.x);
    panel_flushed = Flushed(panel, static_cast<std::size_t>(depth * kPanelColumns), exponents.w);
    x = x_flushed.data();
    panel = panel_flushed.data();
  }
  std::fill_n(out, rows * kPanelColumns, 0.0);
  const MultiPass& multi_pass = model.multi_pass;
  if (multi_pass.passes.empty()) {
    return EmulatePass(kernels, model, exponents, x, rows, depth, panel, out);
  }
  const auto parts_of_x = SplitIntoParts(multi_pass, {x, static_cast<std::size_t>(rows * depth)});
  const auto parts_of_panel =
      SplitIntoParts(multi_pass, {panel, static_cast<std::size_t>(depth * kPanelColumns)});
  std::vector<double> sums(static_cast<std::size_t>(rows * kPanelColumns));
  for (std::size_t p = 0; p < multi_pass.passes.size(); ++p) {
    if (p + 1 == multi_pass.passes.size()) {
      std::replace_if(
          out, out + rows * kPanelColumns, [](double sum) { return std::isnan(sum); }, 0.0);
    }
    const bool begins_anew = p != 0 && !multi_pass.continues_sum;
    double* const pass = begins_anew ? sums.data() : out;
    if (begins_anew) std::ranges::fill(sums, 0.0);
    EmulatePass(kernels, model, exponents,
                parts_of_x[static_cast<std::size_t>(multi_pass.passes[p].x)].data(), rows, depth,
                parts_of_panel[static_cast<std::size_t>(multi_pass.passes[p].w)].data(), pass);
    if (!begins_anew) continue;
    for (std::int64_t m = 0; m < rows; ++m) {
      kernels.add_to_sums(pass + m * kPanelColumns, SumFormat(), out + m * kPanelColumns);
    }
  }
}

}  // namespace narrowgauge::internal
