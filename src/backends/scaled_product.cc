#include "src/backends/scaled_product.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "src/backends/emulated.h"
#include "src/base/checked_math.h"

namespace narrowgauge::internal {
namespace {

// The elements of lines between two ends of runs.
struct Piece {
  std::int64_t begin;
  std::int64_t end;

  [[nodiscard]] std::int64_t Length() const { return end - begin; }
};

// The end of the run that holds k.
std::int64_t EndOfRun(const Lines& lines, std::int64_t k) {
  return lines.run_length == 0
             ? lines.depth
             : std::min(lines.depth, k / lines.run_length * lines.run_length + lines.run_length);
}

// The factors of a piece, its lines side by side; `subtracts` zero points or leaves them.
Lines CutOut(const Lines& lines, std::int64_t count, const Piece& piece, bool subtracts) {
  Lines cut(count, piece.Length());
  for (std::int64_t i = 0; i < count; ++i) {
    const float offset = subtracts ? lines.ZeroPoint(i, piece.begin) : 0;
    std::transform(lines.Line(i) + piece.begin, lines.Line(i) + piece.end, cut.Line(i),
                   [offset](float factor) { return factor - offset; });
  }
  return cut;
}

// The sum of each line.
std::vector<double> SumsOf(const Lines& lines, std::int64_t count) {
  std::vector<double> sums(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    sums[static_cast<std::size_t>(i)] =
        std::accumulate(lines.Line(i), lines.Line(i) + lines.depth, 0.0);
  }
  return sums;
}

}  // namespace

void Lines::SetCodes(std::int64_t i, const ChannelCodes& codes) {
  const auto runs = static_cast<std::ptrdiff_t>(codes.scales.size());
  const auto count = depth == 0 ? 0 : factors.size() / static_cast<std::size_t>(depth);
  run_length = codes.run_length;
  scales.resize(count * codes.scales.size(), 1.0F);
  zero_points.resize(scales.size());
  std::ranges::copy(codes.codes, Line(i));
  std::ranges::copy(codes.scales, scales.begin() + i * runs);
  std::ranges::copy(codes.zero_points, zero_points.begin() + i * runs);
}

float Lines::Scale(std::int64_t i, std::int64_t k) const {
  if (run_length == 0) return 1;
  return scales[static_cast<std::size_t>(i * DivideUp(depth, run_length) + k / run_length)];
}

float Lines::ZeroPoint(std::int64_t i, std::int64_t k) const {
  if (run_length == 0) return 0;
  return zero_points[static_cast<std::size_t>(i * DivideUp(depth, run_length) + k / run_length)];
}

void MultiplyLines(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                   const Lines& x, std::int64_t rows, const Lines& w,
                   const std::vector<std::int64_t>& kept, double* out) {
  if (x.run_length == 0 && w.run_length == 0) {
    const std::vector<float> panel = PackPanel(w.factors.data(), w.depth, kept);
    return EmulatePanel(kernels, model, exponents, x.factors.data(), rows, x.depth, panel.data(),
                        out);
  }
  const bool is_integer = model.inner.order == InnerOrder::kInteger;
  const bool wraps = is_integer && model.inner.overflow != IntegerOverflow::kExact;
  std::fill_n(out, rows * kPanelColumns, 0.0);
  std::vector<double> sums(static_cast<std::size_t>(rows * kPanelColumns));
  const std::int64_t channels = kept.empty() ? 0 : kept.back() + 1;
  for (Piece piece = {0, 0}; piece.begin < x.depth; piece.begin = piece.end) {
    piece.end = std::min(EndOfRun(x, piece.begin), EndOfRun(w, piece.begin));
    const Lines x_piece = CutOut(x, rows, piece, !is_integer);
    const Lines w_piece = CutOut(w, channels, piece, !is_integer);
    const std::vector<float> panel = PackPanel(w_piece.factors.data(), piece.Length(), kept);
    EmulatePanel(kernels, model, exponents, x_piece.factors.data(), rows, piece.Length(),
                 panel.data(), sums.data());
    const auto length = static_cast<double>(piece.Length());
    const std::vector<double> x_sums = SumsOf(x_piece, is_integer ? rows : 0);
    const std::vector<double> w_sums = SumsOf(w_piece, is_integer ? channels : 0);
    for (const std::int64_t n : kept) {
      const auto w_zero = static_cast<double>(w.ZeroPoint(n, piece.begin));
      for (std::int64_t m = 0; m < rows; ++m) {
        double sum = sums[static_cast<std::size_t>(m * kPanelColumns + n)];
        if (is_integer) {
          const auto x_zero = static_cast<double>(x.ZeroPoint(m, piece.begin));
          sum -= w_zero * (x_sums[static_cast<std::size_t>(m)] - length * x_zero);
          sum -= x_zero * w_sums[static_cast<std::size_t>(n)];
          if (wraps) sum = WrapToInt32(sum);
        }
        const float scale = x.Scale(m, piece.begin) * w.Scale(n, piece.begin);
        const float contribution = static_cast<float>(sum) * scale;
        double& total = out[m * kPanelColumns + n];
        total = static_cast<double>(piece.begin == 0 ? contribution
                                                     : static_cast<float>(total) + contribution);
      }
    }
  }
}

}  // namespace narrowgauge::internal
