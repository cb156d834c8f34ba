#ifndef NARROWGAUGE_KERNELS_KERNELS_H_
#define NARROWGAUGE_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge::internal {

// Output channels in a panel; see kernels.inc.
inline constexpr std::int64_t kPanelColumns = 64;

// Side of the matrix that square_bfloat16 multiplies, and the scratch memory it needs.
inline constexpr std::int64_t kSquareSide = 256;
inline constexpr std::size_t kSquareScratchBytes = std::size_t{2} * 256 * 256 * sizeof(float);

// How the conversion kernels compute with a format. src/numerics/bulk_convert.h makes one from a
// descriptor; a format that none of these kinds fits has none and is left to the reference codec.
enum class CodecKind : std::uint8_t {
  kNarrowFloat,  // Signed, with a zero; all its values and those 2^23 times larger are float32
                 // normals.
  kWideFloat,    // The exponents and specials of float32, fewer mantissa bits (bfloat16, tf32).
  kPowerOfTwo,   // float8_e8m0fnu.
  kInteger,
};

struct CodecConstants {
  CodecKind kind = CodecKind::kNarrowFloat;
  int total_bits = 0;
  int mantissa_bits = 0;
  bool has_negative_zero = true;      // Else its code is the NaN.
  std::uint32_t smallest_normal = 0;  // As float32 bits.
  std::uint32_t largest_code = 0;     // Codes here are without their sign.
  std::uint32_t overflow_code = 0;    // What is beyond the largest value becomes.
  std::uint32_t infinity_code = 0;    // All ones if there is none.
  std::uint32_t nan_code = 0;
  float largest = 0;            // Finite values of the format.
  float lowest = 0;             // Used of integers only.
  float last_within = 0;        // The greatest float32 that is rounded to `largest`; of floats.
  float overflow_value = 0;     // The value of overflow_code: `largest`, infinity or NaN.
  std::uint32_t nan_value = 0;  // The value of nan_code, as float32 bits.
};

// Codes of up to 8 bits take one byte each, up to 16 two, else four; not packed any further.
[[nodiscard]] constexpr std::size_t CodeBytes(int total_bits) {
  return total_bits <= 8 ? 1 : total_bits <= 16 ? 2 : 4;
}

// Scales of consecutive runs of elements. Run i holds elements [i * length, (i + 1) * length), the
// last one fewer if they run out; length is 1, a multiple of kRunMultiple, or that of all elements.
// An element x of it is quantised as x / factors[i], or x * factors[i], and comes back times
// scales[i]. Factors, scales and quotients that matter are neither NaN nor infinite.
inline constexpr std::int64_t kRunMultiple = 16;
struct ScaledRuns {
  std::int64_t length = 0;
  const float* factors = nullptr;
  const float* scales = nullptr;
  // Of integers with a zero point: the least and the largest rounded quotient that has a code.
  // Null: those of the format.
  const float* lowest = nullptr;
  const float* largest = nullptr;
  bool multiply = false;
  bool unscaled = false;  // Factors and scales are 1, and are not looked at.
  bool bounded = false;   // No rounded quotient is beyond the format's values: nothing saturates.
};

// What quantisation did to some elements.
struct RoundingCounts {
  std::int64_t saturated =
      0;  // |rounded quotient| lay above the largest value, or below the lowest.
  std::int64_t flushed_to_zero = 0;  // Not zero before, zero after.
};

// Sums over up to kPartialElements elements: of e = value - reference in float64. Element i adds to
// lane i mod 16, in order, sums of squares by fused multiply-add; then lane j takes lane j + 8,
// j + 4, j + 2, j + 1. Not finite if a value is not.
inline constexpr std::int64_t kPartialElements = 1024;
struct ErrorSums {
  double max_abs = 0;
  double sum_abs = 0;
  double sum_squares = 0;
  double reference_squares = 0;
};

// The kernels of one instruction set.
struct Kernels {
#define NG_KERNEL(member, Function, promise, return_type, ...) return_type (*member)(__VA_ARGS__);
#include "src/kernels/kernels.inc"
#undef NG_KERNEL
  std::string_view square_bfloat16_name;
};

// Returns the best kernels that `isa` may use. The machine must support it.
[[nodiscard]] const Kernels& KernelsFor(InstructionSet isa);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_KERNELS_KERNELS_H_
