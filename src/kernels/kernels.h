#ifndef NARROWGAUGE_KERNELS_KERNELS_H_
#define NARROWGAUGE_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/sum_format.h"

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
// last one fewer if they run out; length is 1, kRunMultiple times a power of two, or at least as
// many as there are elements: see IsRunLength. An element x of it is quantised as x / factors[i],
// or x * factors[i], and comes back times scales[i]. Factors, scales and quotients that matter are
// neither NaN nor infinite.
inline constexpr std::int64_t kRunMultiple = 16;
[[nodiscard]] constexpr bool IsRunLength(std::int64_t length, std::int64_t count) {
  const bool is_power_of_two = length > 0 && (length & (length - 1)) == 0;
  return length == 1 || length >= count || (length >= kRunMultiple && is_power_of_two);
}
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

// Which terms of a chain are added, in order: k = i * stride for i < count, or k = (i ^ 1) * stride
// where `swaps` and i ^ 1 is below count.
struct ChainSteps {
  std::int64_t count = 0;
  std::int64_t stride = 1;
  bool swaps = false;
};

// Groups of products that are aligned to the largest of them and of the sum so far, and added at
// once.
struct AlignedSteps {
  std::int64_t count = 0;  // Of k, cut into groups of
  std::int64_t group = 0;  // so many, at most kLargestAlignedGroup.
  int bits = 0;            // Kept below the largest exponent; at most kMostAlignedBits.
  int x_min_exponent =
      0;  // Of the smallest normals of the factors' types: no product has a smaller
  int w_min_exponent = 0;  // exponent than their sum.
  // The products are aligned to the largest of them and added. Then this sum and the sum so far are
  // cut down to multiples of units that lie kBitsOfProductSum and `bits` below the larger exponent.
  bool products_first = false;
};
inline constexpr int kBitsOfProductSum = 31;

// The E8M0 scales of MX blocks, from the float32 bits of a block's largest magnitude: of the scale
// that elements are divided by, the exponent as float32 has it is (bits + increment) / 2^23 - down,
// and the code of the block's scale is that exponent + code_offset.
inline constexpr std::int64_t kMxBlock = 32;         // Elements; OCP MX 1.0 has no other.
inline constexpr std::int64_t kMxBlocksAtOnce = 16;  // The kernels take so many, or what is left.
struct MxScaleConstants {
  std::uint32_t increment = 0;
  std::uint32_t down = 0;
  std::uint32_t code_offset = 0;
  // Outside these a quotient or a product might not be normal.
  float least_absmax = 0x1p-80F;
  float greatest_absmax = 0x1p80F;
};

// What quantisation did to some elements.
struct RoundingCounts {
  std::int64_t saturated =
      0;  // |rounded quotient| lay above the largest value, or below the lowest.
  std::int64_t flushed_to_zero = 0;  // Not zero before, zero after.
};

// Sums are of up to kPartialElements elements, in float64. Element i adds to lane i mod 16, in
// order, squares by fused multiply-add; then lane j takes lane j + 8, j + 4, j + 2, j + 1. What is
// not finite makes a sum that is not; finite float32 elements never do.
inline constexpr std::int64_t kPartialElements = 1024;

// Of e = value - reference.
struct ErrorSums {
  double max_abs = 0;
  double sum_abs = 0;
  double sum_squares = 0;
};

// Whether each e is a float32, so that a subtraction in float32 does not round it.
enum class ErrorsAre : std::uint8_t { kFloat32, kFloat64 };

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
