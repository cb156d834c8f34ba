#ifndef NARROWGAUGE_BACKENDS_NATIVE_MATMUL_H_
#define NARROWGAUGE_BACKENDS_NATIVE_MATMUL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/tensor.h"
#include "src/backends/native_kernels.h"
#include "src/base/aligned_bytes.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// Which axis of a stored w comes first.
enum class WeightAxes : std::uint8_t { kDepthFirst, kChannelsFirst };

// What becomes of the sums: they are written as they are, float32 or int32, or float32 sums are
// rounded once, to nearest even.
enum class NativeOutput : std::uint8_t { kSums, kBFloat16 };

// w in the form that a kernel reads: panels of channels side by side, in words along K.
class NativeWeights {
 public:
  // `w` has two dimensions, of a type that the kernel takes. `kernels` are those of an instruction
  // set of the machine; both outlive this.
  NativeWeights(const NativeKernel& kernel, const Kernels& kernels, const TensorView& w,
                WeightAxes axes, int threads);

  // Writes x[M, K] * w[K, N] to `out`, row-major; x is of a type that the kernel takes. K = 0 gives
  // zeros. The bits do not depend on the number of threads, but for those of NaN.
  void Multiply(const TensorView& x, NativeOutput output, std::span<std::byte> out,
                int threads) const;

 private:
  struct Part;  // Of a product.

  // Fill panels [first, first + count).
  void PackDepthFirst(const ElementConverter& converter, const std::byte* w, std::int64_t first,
                      std::int64_t count);
  void PackChannelsFirst(const ElementConverter& converter, const std::byte* w, std::int64_t first,
                         std::int64_t count);
  void SetStarts(std::int64_t first, std::int64_t count);
  void MultiplyPart(const Part& part) const;
  void ConvertBlock(const Part& part, std::int64_t word, std::int64_t count, std::byte* out) const;
  [[nodiscard]] std::byte* Packed(std::int64_t panel, std::int64_t word) const;

  const NativeKernel& kernel_;
  const Kernels& kernels_;
  std::int64_t depth_ = 0;
  std::int64_t channels_ = 0;
  std::int64_t elements_ = 0;  // In a word.
  std::int64_t words_ = 0;     // Along K.
  std::int64_t panels_ = 0;
  AlignedBytes packed_;
  std::vector<std::uint32_t> starts_;  // Where the channels' sums begin, if not at 0.
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_NATIVE_MATMUL_H_
