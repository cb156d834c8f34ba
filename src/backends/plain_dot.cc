#include "src/backends/plain_dot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/kernels/kernels.h"
#include "src/kernels/plain.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

using plain::AddToSum;
using plain::OddSum;
using plain::RoundToSum;

// A sum of numbers without any rounding: terms that do not overlap, the smallest first (Shewchuk).
class ExactSum {
 public:
  void Add(double term) {
    if (!std::isfinite(term)) {
      nonfinite_ += term;
      return;
    }
    std::size_t kept = 0;
    for (const double part : parts_) {
      const double total = part + term;
      const double rounded_term = total - part;
      const double lost = (part - (total - rounded_term)) + (term - rounded_term);
      if (lost != 0) parts_[kept++] = lost;
      term = total;
    }
    parts_.resize(kept);
    parts_.push_back(term);
  }

  // Rounded to odd; what IEEE 754 adds up to if a term is NaN or infinite.
  [[nodiscard]] double Odd() const {
    if (nonfinite_ != 0) return nonfinite_;
    double total = 0;
    std::size_t i = parts_.size();
    while (i > 0) {
      const double before = total;
      total = before + parts_[--i];
      const double lost = parts_[i] - (total - before);
      // Of the parts that are left, the largest that is not zero tells the sign of all.
      if (lost != 0) return OddSum(total, lost);
    }
    return total;
  }

 private:
  std::vector<double> parts_;
  double nonfinite_ = 0;
};

int Exponent(double value, int min_exponent) { return std::max(std::ilogb(value), min_exponent); }

// `value` cut to a multiple of 2^exponent toward zero, in units of it.
double ChoppedUnits(double value, int exponent) { return std::trunc(std::ldexp(value, -exponent)); }
// The multiple of 2^exponent below `value`.
double Floored(double value, int exponent) {
  return std::ldexp(std::floor(std::ldexp(value, -exponent)), exponent);
}

// Of what is not there: less than any.
constexpr int kNoExponent = -10'000;

struct Term {
  double product;
  int exponent;  // Of its factors, added.
  bool is_odd;   // Of its place in the group.
};

class Evaluator {
 public:
  // `start` stands for the zero that the sums of blocks are added to.
  Evaluator(const DotModel& model, std::span<const float> x, std::span<const float> w,
            const FactorExponents& exponents, double start = 0)
      : model_(model), x_(x), w_(w), exponents_(exponents), start_(start) {}

  [[nodiscard]] double Slices() const {
    const std::size_t size = x_.size();
    if (model_.slices == 1) return Slice(0, size);
    const auto slices = static_cast<std::size_t>(model_.slices);
    const std::size_t length = DivideUp(size, slices);
    double sum = 0;
    const std::int64_t count = SlicesThatMatter(model_.slices, static_cast<std::int64_t>(size));
    for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) {
      const std::size_t begin = std::min(s * length, size);
      const double partial =
          RoundToSum(Slice(begin, std::min(begin + length, size)), model_.partial);
      sum = s == 0 ? partial : AddToSum(sum, partial, model_.reduce);
    }
    return sum;
  }

 private:
  [[nodiscard]] double X(std::size_t k) const { return Operand(x_[k], exponents_.x); }
  [[nodiscard]] double W(std::size_t k) const { return Operand(w_[k], exponents_.w); }
  [[nodiscard]] double Operand(float value, int min_exponent) const {
    const auto operand = static_cast<double>(value);
    const bool is_subnormal = std::abs(operand) < std::ldexp(1.0, min_exponent);
    return model_.flushes_operands && is_subnormal ? std::copysign(0.0, operand) : operand;
  }
  [[nodiscard]] double Product(std::size_t k) const { return X(k) * W(k); }

  // The product as a sum takes it.
  [[nodiscard]] double Addend(std::size_t k) const {
    return model_.inner.rounds_products ? RoundToSum(Product(k), model_.inner.format) : Product(k);
  }

  [[nodiscard]] double Slice(std::size_t begin, std::size_t end) const {
    if (model_.block == 0) return Inner(begin, end);
    const auto block = static_cast<std::size_t>(model_.block);
    const std::size_t blocks = DivideUp(end - begin, block);
    const auto block_sum = [&](std::size_t b) {
      const std::size_t first = begin + b * block;
      const double sum = Inner(first, first + std::min(block, end - first));
      return model_.rounds_block_sums ? RoundToSum(sum, model_.outer) : sum;
    };
    if (model_.outer_is_pairwise) {
      return RoundToSum(Tree(0, blocks, model_.outer, block_sum), model_.outer);
    }
    double sum = start_;
    for (std::size_t b = 0; b < blocks; ++b) sum = AddToSum(sum, block_sum(b), model_.outer);
    return sum;
  }

  // Sums leaves [begin, end) by halves; one alone is as it is.
  template <typename Leaf>
  static double Tree(std::size_t begin, std::size_t end, const SumFormat& format,
                     const Leaf& leaf) {
    if (begin == end) return 0;
    if (end - begin == 1) return leaf(begin);
    const std::size_t middle = begin + (end - begin) / 2;
    const double left = Tree(begin, middle, format, leaf);
    return AddToSum(left, Tree(middle, end, format, leaf), format);
  }

  [[nodiscard]] double Inner(std::size_t begin, std::size_t end) const {
    const InnerSum& inner = model_.inner;
    switch (inner.order) {
      case InnerOrder::kChain:
        return Lanes(begin, end);
      case InnerOrder::kPairwise:
        return RoundToSum(
            Tree(begin, end, inner.format, [this](std::size_t k) { return Addend(k); }),
            inner.format);
      case InnerOrder::kAligned: {
        double sum = 0;
        const auto group = static_cast<std::size_t>(inner.group);
        for (std::size_t k = begin; k < end; k += group) {
          const std::size_t last = std::min(k + group, end);
          sum = inner.alignment == Alignment::kTogether ? AlignedGroup(k, last, sum)
                                                        : ProductsThenSum(k, last, sum);
        }
        return sum;
      }
      case InnerOrder::kExact: {
        ExactSum sum;
        for (std::size_t k = begin; k < end; ++k) sum.Add(Product(k));
        return RoundToSum(sum.Odd(), inner.format);
      }
      case InnerOrder::kInteger:
        return Integers(begin, end);
    }
    NG_CHECK(false);
  }

  [[nodiscard]] double Integers(std::size_t begin, std::size_t end) const {
    double sum = 0;
    switch (model_.inner.overflow) {
      case IntegerOverflow::kExact:
      case IntegerOverflow::kWrap:
        for (std::size_t k = begin; k < end; ++k) sum += Product(k);
        break;
      case IntegerOverflow::kSaturate16:
        for (std::size_t k = begin; k < end; k += 2) {
          const double pair = Product(k) + (k + 1 < end ? Product(k + 1) : 0);
          sum += std::clamp(pair, -0x1p15, 0x1p15 - 1);
        }
        break;
    }
    return model_.inner.overflow == IntegerOverflow::kExact ? sum : WrapToInt32(sum);
  }

  [[nodiscard]] double Lanes(std::size_t begin, std::size_t end) const {
    const auto lanes = static_cast<std::size_t>(model_.inner.lanes);
    if (lanes == 1) return Chain(begin, end, 1);
    std::vector<double> sums(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] = Chain(begin + lane, end, lanes);
    }
    for (; sums.size() > 1; sums.resize(sums.size() / 2)) {
      for (std::size_t i = 0; i + 1 < sums.size(); i += 2) {
        sums[i / 2] = AddToSum(sums[i], sums[i + 1], model_.inner.format);
      }
    }
    return sums[0];
  }

  // Of an odd number of products the last has no partner to change places with.
  [[nodiscard]] double Chain(std::size_t begin, std::size_t end, std::size_t stride) const {
    const InnerSum& inner = model_.inner;
    const std::size_t count = begin < end ? (end - begin + stride - 1) / stride : 0;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t step = inner.odd_before_even && (i ^ 1U) < count ? i ^ 1U : i;
      sum = AddToSum(sum, Addend(begin + step * stride), inner.format);
    }
    return sum;
  }

  // The products of a group that are not zero; a NaN or an infinity among them or in `sum` makes
  // `special` their IEEE sum.
  [[nodiscard]] std::vector<Term> Terms(std::size_t begin, std::size_t end, double sum,
                                        std::optional<double>& special) const {
    std::vector<Term> terms;
    double ieee = sum;
    for (std::size_t k = begin; k < end; ++k) {
      const double product = Product(k);
      ieee += product;
      if (product == 0 || !std::isfinite(product)) continue;
      terms.push_back({product, Exponent(X(k), exponents_.x) + Exponent(W(k), exponents_.w),
                       (k - begin) % 2 == 1});
    }
    if (!std::isfinite(ieee)) special = ieee;
    return terms;
  }

  [[nodiscard]] double AlignedGroup(std::size_t begin, std::size_t end, double sum) const {
    const InnerSum& inner = model_.inner;
    std::optional<double> special;
    std::vector<Term> terms = Terms(begin, end, sum, special);
    if (special) return *special;
    if (sum != 0) {
      terms.push_back({sum, Exponent(sum, inner.format.min_exponent), false});
    }
    return RoundToSum(Align(terms, inner.bits).sum, inner.format);
  }

  // The sum of some terms, each cut to `bits` below the largest exponent among them.
  struct AlignedTerms {
    double sum = 0;
    int largest = kNoExponent;
  };
  [[nodiscard]] static AlignedTerms Align(const std::vector<Term>& terms, int bits) {
    if (terms.empty()) return {};
    const int largest = std::ranges::max(terms, {}, &Term::exponent).exponent;
    double units = 0;  // Fewer than 2^53: exact.
    for (const Term& term : terms) units += ChoppedUnits(term.product, largest - bits);
    return {std::ldexp(units, largest - bits), largest};
  }

  // The same of even and of odd terms, then of both, rounded down.
  [[nodiscard]] static AlignedTerms AlignEvenAndOdd(const std::vector<Term>& terms, int bits) {
    std::vector<Term> halves[2];
    for (const Term& term : terms) halves[term.is_odd ? 1 : 0].push_back(term);
    const AlignedTerms even = Align(halves[0], bits);
    const AlignedTerms odd = Align(halves[1], bits);
    const int largest = std::max(even.largest, odd.largest);
    return {Floored(even.sum, largest - bits) + Floored(odd.sum, largest - bits), largest};
  }

  [[nodiscard]] double ProductsThenSum(std::size_t begin, std::size_t end, double sum) const {
    const InnerSum& inner = model_.inner;
    std::optional<double> special;
    const std::vector<Term> terms = Terms(begin, end, sum, special);
    if (special) return *special;
    if (terms.empty()) return sum;
    const bool is_apart = inner.alignment == Alignment::kEvenAndOddThenSum;
    const AlignedTerms products =
        is_apart ? AlignEvenAndOdd(terms, inner.bits) : Align(terms, inner.bits);
    const int exponent = sum == 0 ? kNoExponent : Exponent(sum, inner.format.min_exponent);
    const int top = std::max(products.largest, exponent);
    const bool is_dropped = sum == 0 || (is_apart && exponent < top - inner.bits - 1);
    return AddToSum(Floored(products.sum, top - kBitsOfProductSum),
                    is_dropped ? 0 : Floored(sum, top - inner.bits), inner.format);
  }

  const DotModel& model_;
  const std::span<const float> x_;
  const std::span<const float> w_;
  const FactorExponents exponents_;
  const double start_;
};

double DotOfPasses(const DotModel& model, std::span<const float> x, std::span<const float> w,
                   const FactorExponents& exponents) {
  const MultiPass& multi_pass = model.multi_pass;
  const auto parts_of_x = SplitIntoParts(multi_pass, x);
  const auto parts_of_w = SplitIntoParts(multi_pass, w);
  double sum = 0;
  for (std::size_t p = 0; p < multi_pass.passes.size(); ++p) {
    if (p + 1 == multi_pass.passes.size() && std::isnan(sum)) sum = 0;
    const auto& part_of_x = parts_of_x[static_cast<std::size_t>(multi_pass.passes[p].x)];
    const auto& part_of_w = parts_of_w[static_cast<std::size_t>(multi_pass.passes[p].w)];
    const double start = multi_pass.continues_sum ? sum : 0;
    const double pass = Evaluator(model, part_of_x, part_of_w, exponents, start).Slices();
    sum = p == 0 || multi_pass.continues_sum ? pass : AddToSum(sum, pass, SumFormat());
  }
  return sum;
}

}  // namespace

double WrapToInt32(double sum) { return sum - 0x1p32 * std::floor((sum + 0x1p31) * 0x1p-32); }

std::vector<std::vector<float>> SplitIntoParts(const MultiPass& multi_pass,
                                               std::span<const float> values) {
  const DTypeInfo& info = GetDTypeInfo(multi_pass.parts);
  std::vector<float> rest(values.begin(), values.end());
  std::vector<std::vector<float>> parts;
  for (int p = 0; p < multi_pass.part_count; ++p) {
    const bool rounds =
        p + 1 < multi_pass.part_count ? multi_pass.rounds_parts : multi_pass.rounds_last_part;
    const RoundingMode rounding = rounds ? RoundingMode::kNearestEven : RoundingMode::kTowardZero;
    std::vector<float>& part = parts.emplace_back(rest.size());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      part[i] = DecodeFloat32(info, EncodeFloat32(info, rest[i], rounding, OverflowMode::kNative));
      rest[i] -= part[i];
    }
  }
  return parts;
}

std::int64_t SlicesThatMatter(std::int64_t slices, std::int64_t depth) {
  const std::int64_t length = DivideUp(depth, slices);
  const std::int64_t filled = length == 0 ? 0 : DivideUp(depth, length);
  return std::min(slices, filled + 1);
}

double PlainDot(const DotModel& model, std::span<const float> x, std::span<const float> w,
                const FactorExponents& exponents) {
  NG_CHECK(x.size() == w.size());
  if (!model.multi_pass.passes.empty()) return DotOfPasses(model, x, w, exponents);
  return Evaluator(model, x, w, exponents).Slices();
}

}  // namespace narrowgauge::internal
