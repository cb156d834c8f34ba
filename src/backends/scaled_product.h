#ifndef NARROWGAUGE_BACKENDS_SCALED_PRODUCT_H_
#define NARROWGAUGE_BACKENDS_SCALED_PRODUCT_H_

#include <cstdint>
#include <vector>

#include "narrowgauge/accumulation.h"
#include "src/backends/plain_dot.h"
#include "src/kernels/kernels.h"
#include "src/quantize/quantizer.h"

// Products of operands whose scales may be applied to the sums of their codes.

namespace narrowgauge::internal {

// Lines of K factors each: rows of x, or channels of w.
struct Lines {
  Lines(std::int64_t count, std::int64_t depth_of_each)
      : depth(depth_of_each), factors(static_cast<std::size_t>(count * depth)) {}

  [[nodiscard]] float* Line(std::int64_t i) { return factors.data() + i * depth; }
  [[nodiscard]] const float* Line(std::int64_t i) const { return factors.data() + i * depth; }
  // Makes line i the codes of a channel; all lines are, or none is.
  void SetCodes(std::int64_t i, const ChannelCodes& codes);

  // Of element k of line i; 1 and 0 of lines that are not codes.
  [[nodiscard]] float Scale(std::int64_t i, std::int64_t k) const;
  [[nodiscard]] float ZeroPoint(std::int64_t i, std::int64_t k) const;

  std::int64_t depth;
  std::vector<float> factors;      // [line][k]
  std::int64_t run_length = 0;     // So many consecutive k share a scale; 0 of lines without any.
  std::vector<float> scales = {};  // [line][run]
  std::vector<float> zero_points = {};  // [line][run]
};

// out[m][n] = x[m] * w[n] for all rows of x and those channels of w that are in `kept`, at most
// kPanelColumns; row stride kPanelColumns. Without scales that is EmulatePanel.
//
// With them k is cut where a run of either operand ends. Each piece is a sum of its own, of codes
// less their zero points, and contributes fl32(fl32(sum) * fl32(scale of x * scale of w));
// contributions are added in float32, in the order of k. A sum of integers is that of the codes as
// they are stored, since what overflows depends on them; what the zero points add to it is taken
// off exactly, modulo 2^32 where sums are.
void MultiplyLines(const Kernels& kernels, const DotModel& model, const FactorExponents& exponents,
                   const Lines& x, std::int64_t rows, const Lines& w,
                   const std::vector<std::int64_t>& kept, double* out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_SCALED_PRODUCT_H_
