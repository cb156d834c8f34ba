#ifndef NARROWGAUGE_NUMERICS_PROFILE_H_
#define NARROWGAUGE_NUMERICS_PROFILE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "narrowgauge/status.h"

namespace narrowgauge {

// The polynomial or library behind log1p in normal(). Any two agree within 3 ulp of the normal.
enum class Log1pVariant : std::uint8_t {
  kRational,                 // jaxlib 0.8.2 and later.
  kRationalFusedDifference,  // jaxlib 0.4.38 to 0.6.2: x + fma(n/d, x*z, -z/2).
  kLibm,  // jaxlib 0.7.0 to 0.8.1: the rational near zero, the C library's logf elsewhere.
};

enum class MultiplyAdd : std::uint8_t { kFused, kSeparate };

// How a quotient by a constant or by a scale is formed.
enum class Quotient : std::uint8_t {
  kDivide,                // One IEEE division.
  kMultiplyByReciprocal,  // The reciprocal is rounded to float32 first.
};

// The order in which k runs in a dot product of bfloat16 operands.
enum class DotOrder : std::uint8_t {
  kAscending,     // 0, 1, 2, 3, ...
  kSwappedPairs,  // 1, 0, 3, 2, ...: the order of the x86 instruction vdpbf16ps.
  kEvenOddTiles,  // By 32 k: the even and the odd ones apart, then both added: that of tdpbf16ps.
};

// The order in which the mean of 64 x 64 errors is summed.
enum class MeanOrder : std::uint8_t {
  kYnnpack,              // 16 lanes, radix-4 trees joined by Kahan summation, lanes halved.
  kWindowsPairwise,      // 32x32 windows, each left to right; (w0 + w1) + (w2 + w3).
  kWindowsCarriedLanes,  // 32x32 windows; each row through eight lanes that carry the sum on. Both
                         // this and the next join the windows left to right: ((w0 + w1) + w2) + w3.
  kWindowsRowLanes,      // 32x32 windows; row sums into eight lanes.
  kFloat64,              // One float64 accumulator, left to right.
};

enum class Subnormals : std::uint8_t { kKept, kFlushed };

// Whose numerics to follow, down to the last bit: what one jaxlib does on an x86-64 CPU. The random
// bits are the same in all; the rest is named by these choices.
struct NumericsProfile {
  std::string_view name;
  Log1pVariant log1p;
  MultiplyAdd multiply_add;
  Quotient scale_quotient;
  DotOrder bf16_to_float32_order;
  DotOrder bf16_to_bf16_order;
  MeanOrder mean_order;
  Subnormals subnormals;  // In arithmetic; never in casts or the absolute value.
  std::string_view description;
};

// All profiles; the first is the default, jaxlib-0.10.2.
[[nodiscard]] std::span<const NumericsProfile> AllNumericsProfiles();

[[nodiscard]] const NumericsProfile& DefaultNumericsProfile();

// kInvalidArgument lists the accepted names and the nearest one.
[[nodiscard]] Result<NumericsProfile> FindNumericsProfile(std::string_view name);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_NUMERICS_PROFILE_H_
