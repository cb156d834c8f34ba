#ifndef NARROWGAUGE_BACKENDS_NATIVE_WORDS_H_
#define NARROWGAUGE_BACKENDS_NATIVE_WORDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "narrowgauge/dtype.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {

// What a tile kernel's words of four bytes hold.
enum class NativeWords : std::uint8_t {
  kFloat32,
  kBFloat16,
  kInt16,
  kInt8,        // x as uint8, w as int8.
  kOffsetInt8,  // The same of an int8 x, to which 128 is added: sums begin at -128 times those of
                // w.
};

[[nodiscard]] std::int64_t ElementBytes(NativeWords words);

// Whether elements of `dtype`, side by side, are x's words as they are.
[[nodiscard]] bool AreWordsOfX(NativeWords words, DType dtype);

// Which operand words are of: what pads its last word, so that products with what pads the other's
// add nothing, not even to a sum of -0.
enum class NativeOperand : std::uint8_t { kX, kW };

// Converts elements of one type into the form that words hold. The kernels are those of any
// instruction set that the machine has, and outlive this.
class ElementConverter {
 public:
  ElementConverter(const Kernels& kernels, NativeWords words, NativeOperand operand, DType dtype);

  // Writes elements [first, first + count) of a packed array, as WidenToFloat32 reads it, and
  // `padding` elements after them, to `out`, which is aligned for them.
  void Convert(const std::byte* codes, std::int64_t first, std::int64_t count, std::int64_t padding,
               std::byte* out) const;

 private:
  void ConvertElements(const std::byte* codes, std::int64_t first, std::int64_t count,
                       std::byte* out) const;
  template <typename Element, typename FromFloat>
  void ConvertValues(const std::byte* codes, std::int64_t first, std::int64_t count, std::byte* out,
                     FromFloat from_float) const;
  void Widen(const std::byte* codes, std::int64_t first, std::int64_t count, float* out) const;

  const Kernels& kernels_;
  NativeWords words_;
  NativeOperand operand_;
  DType dtype_;
  std::optional<CodecConstants> codec_;  // Of what kernels decode.
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_NATIVE_WORDS_H_
