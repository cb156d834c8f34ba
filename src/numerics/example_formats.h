#ifndef NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_
#define NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_

#include "narrowgauge/dtype.h"

// Formats that are not in the table, one of every kind that a row may be. For tests only: they show
// that the codec follows its descriptor, whatever that is.

namespace narrowgauge::internal::examples {

inline constexpr DTypeInfo kFloat8E5M2 = {.name = "float8_e5m2",
                                          .total_bits = 8,
                                          .exponent_bits = 5,
                                          .mantissa_bits = 2,
                                          .exponent_bias = 15,
                                          .special_values = SpecialValues::kIeee,
                                          .canonical_nan = 0x7E};
inline constexpr DTypeInfo kFloat8E4M3Fn = {.name = "float8_e4m3fn",
                                            .total_bits = 8,
                                            .exponent_bits = 4,
                                            .mantissa_bits = 3,
                                            .exponent_bias = 7,
                                            .special_values = SpecialValues::kNanAllOnes,
                                            .canonical_nan = 0x7F};
inline constexpr DTypeInfo kFloat8E4M3Fnuz = {.name = "float8_e4m3fnuz",
                                              .total_bits = 8,
                                              .exponent_bits = 4,
                                              .mantissa_bits = 3,
                                              .exponent_bias = 8,
                                              .special_values = SpecialValues::kNanNegativeZero,
                                              .canonical_nan = 0x80};
inline constexpr DTypeInfo kFloat4E2M1Fn = {.name = "float4_e2m1fn",
                                            .total_bits = 4,
                                            .exponent_bits = 2,
                                            .mantissa_bits = 1,
                                            .exponent_bias = 1,
                                            .special_values = SpecialValues::kNone,
                                            .canonical_nan = 0x8};
inline constexpr DTypeInfo kFloat8E8M0Fnu = {.name = "float8_e8m0fnu",
                                             .is_signed = false,
                                             .total_bits = 8,
                                             .exponent_bits = 8,
                                             .exponent_bias = 127,
                                             .has_zero = false,
                                             .special_values = SpecialValues::kNanAllOnes,
                                             .canonical_nan = 0xFF};
inline constexpr DTypeInfo kUint2 = {
    .name = "uint2", .kind = DTypeKind::kInteger, .is_signed = false, .total_bits = 2};
// Made up: nobody else has mantissa bits and no zero.
inline constexpr DTypeInfo kFloat5E3M2NoZero = {.name = "float5_e3m2_no_zero",
                                                .is_signed = false,
                                                .total_bits = 5,
                                                .exponent_bits = 3,
                                                .mantissa_bits = 2,
                                                .exponent_bias = 3,
                                                .has_zero = false,
                                                .special_values = SpecialValues::kNanAllOnes,
                                                .canonical_nan = 0x1F};
inline constexpr DTypeInfo kFloat64 = {.name = "float64",
                                       .total_bits = 64,
                                       .exponent_bits = 11,
                                       .mantissa_bits = 52,
                                       .exponent_bias = 1023,
                                       .special_values = SpecialValues::kIeee,
                                       .canonical_nan = 0x7FF8000000000000};
inline constexpr DTypeInfo kTf32 = {.name = "tf32",
                                    .total_bits = 19,
                                    .exponent_bits = 8,
                                    .mantissa_bits = 10,
                                    .exponent_bias = 127,
                                    .special_values = SpecialValues::kIeee,
                                    .canonical_nan = 0x3FE00};

}  // namespace narrowgauge::internal::examples

#endif  // NARROWGAUGE_NUMERICS_EXAMPLE_FORMATS_H_
