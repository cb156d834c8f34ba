#include "src/experiment/structured_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include "narrowgauge/numerics_profile.h"
#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/base/nearest_name.h"
#include "src/kernels/kernels.h"

namespace narrowgauge {
namespace internal {
namespace {

// ---- What they are made of ---------------------------------------------------------------------

void FillNormal(const PrngKey& key, InstructionSet isa, std::span<float> out) {
  Normal(key, ThreefryLayout::kPartitionable, DefaultNumericsProfile(), out, isa);
}

// The words at counters [start, start + count) of a key.
std::vector<std::uint32_t> Words(const PrngKey& key, std::int64_t start, std::int64_t count,
                                 InstructionSet isa) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
  KernelsFor(isa).threefry_bits(key.words.data(), static_cast<std::uint64_t>(start), count,
                                words.data());
  return words;
}

// Returns 0 ... depth - 1 in a random order: by their words, then by themselves.
std::vector<std::int64_t> RandomOrder(const PrngKey& key, std::int64_t depth, InstructionSet isa) {
  const std::vector<std::uint32_t> words = Words(key, 0, depth, isa);
  std::vector<std::int64_t> order(words.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int64_t a, std::int64_t b) {
    const std::uint32_t word_a = words[static_cast<std::size_t>(a)];
    const std::uint32_t word_b = words[static_cast<std::size_t>(b)];
    return word_a != word_b ? word_a < word_b : a < b;
  });
  return order;
}

// An element of a row-major matrix.
float& At(std::span<float> matrix, std::int64_t row, std::int64_t columns, std::int64_t column) {
  return matrix[static_cast<std::size_t>(row * columns + column)];
}

// ---- The kinds ---------------------------------------------------------------------------------

void DrawNormal(double /*parameter*/, const OperandsToDraw& to) {
  FillNormal(to.x_key, to.isa, to.x);
  FillNormal(to.w_key, to.isa, to.w);
}

void DrawOnes(double /*parameter*/, const OperandsToDraw& to) {
  std::ranges::fill(to.x, 1.0F);
  std::ranges::fill(to.w, 1.0F);
}

void DrawSameSign(double parameter, const OperandsToDraw& to) {
  DrawNormal(parameter, to);
  for (const std::span<float> values : {to.x, to.w}) {
    for (float& value : values) value = std::abs(value);
  }
}

// Of two k that are partners, x is the same and w the opposite.
void DrawCancelling(double parameter, const OperandsToDraw& to) {
  DrawNormal(parameter, to);
  const std::vector<std::int64_t> order = RandomOrder(to.shared_key, to.k, to.isa);
  for (std::size_t i = 0; i < order.size(); i += 2) {
    const std::int64_t a = order[i];
    const bool is_alone = i + 1 == order.size();
    const std::int64_t b = is_alone ? a : order[i + 1];
    for (std::int64_t m = 0; m < to.m; ++m) At(to.x, m, to.k, b) = At(to.x, m, to.k, a);
    for (std::int64_t n = 0; n < to.n; ++n) {
      At(to.w, b, to.n, n) = is_alone ? 0.0F : -At(to.w, a, to.n, n);
    }
  }
}

// Factors of 12 bits in [1, 1.375): the product of two is exact in float32, and that of four is on
// either side of the mean by less than kConditionFactor.
constexpr std::uint64_t kNearOneSteps = 768;
constexpr float kNearOneStep = 0x1p-11F;
constexpr double kNearOneMean = 1 + (kNearOneSteps - 1) * static_cast<double>(kNearOneStep) / 2;
constexpr double kNearOneMost = 1 + (kNearOneSteps - 1) * static_cast<double>(kNearOneStep);

constexpr double Fourth(double v) { return v * v * v * v; }
static_assert(Fourth(kNearOneMean) < kConditionFactor);
static_assert(Fourth(kNearOneMost / kNearOneMean) < kConditionFactor);

// From the upper 31 bits of a word.
float NearOne(std::uint32_t word) {
  const std::uint64_t step = (std::uint64_t{word >> 1} * kNearOneSteps) >> 31;
  return 1 + static_cast<float>(step) * kNearOneStep;
}

// From the lowest bit, which NearOne leaves.
float Sign(std::uint32_t word) { return (word & 1) != 0 ? -1.0F : 1.0F; }

// Partners a and b have x = c u and d u, w = d v and -c v: their products cancel exactly, and no
// more once the operands are rounded, since c u and d u round differently. u is of a row m and v of
// a channel, c and d of k alone. What the pairs leave over, one k or two, holds the whole sum: t
// with 2 (S + t) / t = C, S being the mean of |x|.|w| over all pairs.
void DrawIllConditioned(double condition, const OperandsToDraw& to) {
  const std::vector<std::int64_t> order = RandomOrder(to.shared_key, to.k, to.isa);
  const auto pairs = static_cast<std::size_t>((to.k - 1) / 2);
  const auto rest = std::span(order).subspan(2 * pairs);
  const double magnitudes = 2 * static_cast<double>(pairs) * Fourth(kNearOneMean);
  const double sum = 2 * magnitudes / (condition - 2);
  const auto root = static_cast<float>(std::sqrt(sum / static_cast<double>(rest.size())));

  // The order used the words at counters below k.
  const std::vector<std::uint32_t> of_k = Words(to.shared_key, to.k, to.k, to.isa);
  const auto near_one = [&](std::int64_t k) { return NearOne(of_k[static_cast<std::size_t>(k)]); };
  for (std::int64_t m = 0; m < to.m; ++m) {
    const std::vector<std::uint32_t> words = Words(to.x_key, m * to.k, to.k, to.isa);
    const auto word = [&](std::int64_t k) { return words[static_cast<std::size_t>(k)]; };
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::int64_t a = order[2 * i];
      const std::int64_t b = order[2 * i + 1];
      const float u = Sign(word(a)) * NearOne(word(a));
      At(to.x, m, to.k, a) = near_one(a) * u;
      At(to.x, m, to.k, b) = near_one(b) * u;
    }
    for (const std::int64_t k : rest) At(to.x, m, to.k, k) = Sign(word(rest[0])) * root;
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    const std::int64_t a = order[2 * i];
    const std::int64_t b = order[2 * i + 1];
    const std::vector<std::uint32_t> words = Words(to.w_key, a * to.n, to.n, to.isa);
    for (std::int64_t n = 0; n < to.n; ++n) {
      const std::uint32_t word = words[static_cast<std::size_t>(n)];
      const float v = Sign(word) * NearOne(word);
      At(to.w, a, to.n, n) = near_one(b) * v;
      At(to.w, b, to.n, n) = -(near_one(a) * v);
    }
  }
  const std::vector<std::uint32_t> words = Words(to.w_key, rest[0] * to.n, to.n, to.isa);
  for (const std::int64_t k : rest) {
    for (std::int64_t n = 0; n < to.n; ++n) {
      At(to.w, k, to.n, n) = Sign(words[static_cast<std::size_t>(n)]) * root;
    }
  }
}

// Of each kOutlierSpacing consecutive k, the last few included, one at random.
void DrawOutlierChannels(double factor, const OperandsToDraw& to) {
  DrawNormal(0, to);
  const std::int64_t outliers = DivideUp(to.k, kOutlierSpacing);
  const std::vector<std::uint32_t> words = Words(to.shared_key, 0, outliers, to.isa);
  for (std::int64_t i = 0; i < outliers; ++i) {
    const std::int64_t first = i * kOutlierSpacing;
    const auto choices = static_cast<std::uint64_t>(std::min(kOutlierSpacing, to.k - first));
    const std::uint64_t chosen =
        (std::uint64_t{words[static_cast<std::size_t>(i)]} * choices) >> 32;
    for (std::int64_t m = 0; m < to.m; ++m) {
      float& value = At(to.x, m, to.k, first + static_cast<std::int64_t>(chosen));
      value = static_cast<float>(static_cast<double>(value) * factor);
    }
  }
}

// ---- The table ---------------------------------------------------------------------------------

// What must be drawn for a kind to say anything.
enum class Shapes : std::uint8_t { kEither, kActivations, kBothTogether };

struct Kind {
  InputInfo info;
  Shapes shapes;
  double least, most;  // Of the parameter.
  void (*draw)(double parameter, const OperandsToDraw& to);
};

// Normals are below 6, so that outliers stay far below float32's largest value.
constexpr double kMostOutlier = 1e30;

// In the order of InputKind.
constexpr Kind kKinds[] = {
    {{InputKind::kNormal, "normal", "", "normal values; what is drawn if nothing is said"},
     Shapes::kEither,
     0,
     0,
     DrawNormal},
    {{InputKind::kOnes, "ones", "", "ones: every sum is K"}, Shapes::kEither, 0, 0, DrawOnes},
    {{InputKind::kSameSign, "same-sign", "",
      "magnitudes of the normal values: all products add up"},
     Shapes::kEither,
     0,
     0,
     DrawSameSign},
    {{InputKind::kCancelling, "cancelling", "",
      "normal values whose products cancel in pairs, at random places: every exact sum is 0"},
     Shapes::kBothTogether,
     0,
     0,
     DrawCancelling},
    {{InputKind::kIllConditioned, "ill-conditioned", "C",
      "dot products whose condition number, 2 |x|.|w| / |x.w|, is C within a factor of 2"},
     Shapes::kBothTogether,
     kLeastCondition,
     0x1p87,
     DrawIllConditioned},
    {{InputKind::kOutlierChannels, "outlier-channels", "FACTOR",
      "normal values; in one k of 128, the activations are FACTOR times larger"},
     Shapes::kActivations,
     1,
     kMostOutlier,
     DrawOutlierChannels},
};

const Kind& KindOf(const InputSpec& inputs) {
  const Kind& kind = kKinds[static_cast<std::size_t>(inputs.kind)];
  NG_CHECK(kind.info.kind == inputs.kind);
  return kind;
}

std::string WordsOf(const InputInfo& info) {
  return info.parameter.empty() ? std::string(info.name)
                                : fmt::format("{}:{}", info.name, info.parameter);
}

tl::unexpected<Error> Refuse(std::string message) {
  return MakeError(StatusCode::kInvalidArgument, std::move(message));
}

}  // namespace

bool AreCoupled(const InputSpec& inputs) { return KindOf(inputs).shapes == Shapes::kBothTogether; }

Result<void> CheckInputs(const InputSpec& inputs, Drawn drawn, std::int64_t depth) {
  const Kind& kind = KindOf(inputs);
  const std::string text = FormatInputs(inputs);
  if (inputs == InputSpec()) return {};
  if (kind.shapes == Shapes::kBothTogether && !(drawn.x && drawn.w)) {
    return Refuse(
        fmt::format("{} inputs are made of activations and weights together; draw both, "
                    "as in --random MxKxN --inputs {}",
                    kind.info.name, text));
  }
  if (kind.shapes == Shapes::kActivations && !drawn.x) {
    return Refuse(
        fmt::format("{} says what activations are like; let them be drawn, without "
                    "--activations and --error weights",
                    text));
  }
  if (!drawn.x && !drawn.w) {
    return Refuse(
        fmt::format("{} says what drawn operands are like, and none is drawn here", text));
  }
  if (inputs.kind != InputKind::kIllConditioned) return {};
  if (depth < kLeastIllConditionedDepth) {
    return Refuse(
        fmt::format("{} takes a K of {} or more, a pair that cancels and what is left: "
                    "K = {}",
                    text, kLeastIllConditionedDepth, depth));
  }
  if (inputs.parameter > MostCondition(depth)) {
    return Refuse(
        fmt::format("the reference in float64 cannot tell the sums of {} at K = {}; the "
                    "largest condition number there is 2^87 / K^2 = {:.3g}",
                    text, depth, MostCondition(depth)));
  }
  return {};
}

void DrawOperands(const InputSpec& inputs, const OperandsToDraw& to_draw) {
  KindOf(inputs).draw(inputs.parameter, to_draw);
}

double BytesToDraw(const InputSpec& inputs, std::int64_t depth) {
  // A random order and the words it comes from, of pairs also what is of k alone.
  const double per_k = sizeof(std::int64_t) + 2 * sizeof(std::uint32_t);
  return AreCoupled(inputs) ? per_k * static_cast<double>(depth) : 0;
}

}  // namespace internal

std::span<const InputInfo> AllInputs() {
  static const auto infos = [] {
    std::array<InputInfo, std::size(internal::kKinds)> all;
    std::ranges::transform(internal::kKinds, all.begin(), &internal::Kind::info);
    return all;
  }();
  return infos;
}

std::string FormatInputs(const InputSpec& inputs) {
  const InputInfo& info = internal::KindOf(inputs).info;
  if (info.parameter.empty()) return std::string(info.name);
  return fmt::format("{}:{}", info.name, inputs.parameter);
}

Result<InputSpec> ParseInputs(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::vector<std::string_view> names;
  for (const internal::Kind& kind : internal::kKinds) names.push_back(kind.info.name);
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    return internal::Refuse(internal::UnknownName("kind of inputs", name, names));
  }
  const internal::Kind& kind = internal::kKinds[found - names.begin()];
  InputSpec inputs{kind.info.kind};
  if (kind.info.parameter.empty()) {
    if (colon == std::string_view::npos) return inputs;
    return internal::Refuse(fmt::format("{} takes no parameter: \"{}\"", name, text));
  }
  const std::string_view digits =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, inputs.parameter);
  const bool is_number = !digits.empty() && error == std::errc() && rest == end;
  if (is_number && kind.least <= inputs.parameter && inputs.parameter <= kind.most) return inputs;
  return internal::Refuse(fmt::format("{} takes a number from {} to {:.3g}: \"{}\"",
                                      internal::WordsOf(kind.info), kind.least, kind.most, text));
}

double MostCondition(std::int64_t depth) {
  const auto k = static_cast<double>(depth);
  return 0x1p87 / (k * k);
}

}  // namespace narrowgauge
