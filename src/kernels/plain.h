#ifndef NARROWGAUGE_KERNELS_PLAIN_H_
#define NARROWGAUGE_KERNELS_PLAIN_H_

#include <cstddef>
#include <cstdint>

#include "narrowgauge/sum_format.h"

// The plain version of the kernels in kernels.inc: one obvious loop each, any number of columns.
// These are what the fast ones are tested against. (Bits and normals have theirs in src/random/.)

namespace narrowgauge::internal::plain {

// Arithmetic of running sums, in float64: sums of a format's values and of products of float32
// factors are formed exactly, or rounded to odd, and then rounded once.

// Returns `value` rounded once.
[[nodiscard]] double RoundToSum(double value, const SumFormat& format);

// Returns a + b rounded to odd: exact, or the neighbour whose last bit is 1. Any later rounding to
// two bits fewer, or more, is then that of the exact sum.
[[nodiscard]] double OddSum(double a, double b);

// Returns sum + term, taken exactly, rounded once. NaN and infinities as IEEE 754 has them.
[[nodiscard]] double AddToSum(double sum, double term, const SumFormat& format);

// out[m][n] = the chain fma(x[m][k ^ flip], w[k ^ flip][n], sum), from 0.
void DotFloat32(const float* x, const float* w, std::int64_t rows, std::int64_t depth,
                std::int64_t columns, std::int64_t flip, float* out);

// As DotFloat32, ascending, with float64 sums: exact products, two-sum, errors added at the end.
void DotFloat64(const float* x, const float* w, std::int64_t rows, std::int64_t depth,
                std::int64_t columns, double* out);

// As quantize_int8 in kernels.inc.
void QuantizeInt8(const float* w, std::int64_t depth, std::int64_t columns, const float* factor,
                  bool multiply, const float* scale, std::int8_t* codes, float* dequantized);

// out = bfloat16(a * a) for side x side bfloat16 codes: the float32 FMA chain in k, ascending, then
// one rounding to nearest even.
void SquareBFloat16(const std::uint16_t* a, std::int64_t side, std::uint16_t* out);

}  // namespace narrowgauge::internal::plain

#endif  // NARROWGAUGE_KERNELS_PLAIN_H_
