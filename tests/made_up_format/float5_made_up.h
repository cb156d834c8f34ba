#ifndef NARROWGAUGE_TESTS_MADE_UP_FORMAT_FLOAT5_MADE_UP_H_
#define NARROWGAUGE_TESTS_MADE_UP_FORMAT_FLOAT5_MADE_UP_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

// What a contributor of a number format writes, and all of it; CMakeLists.txt has the row.
inline constexpr DTypeInfo kFloat5MadeUp = {
    .name = "float5_made_up",
    .aliases = {"made_up"},
    .total_bits = 5,
    .exponent_bits = 2,
    .mantissa_bits = 2,
    .exponent_bias = 1,
    .special_values = SpecialValues::kNanAllOnes,
    .canonical_nan = 0xF,
    .source = "nobody: it exists in a test only",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_TESTS_MADE_UP_FORMAT_FLOAT5_MADE_UP_H_
