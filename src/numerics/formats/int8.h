#ifndef NARROWGAUGE_NUMERICS_FORMATS_INT8_H_
#define NARROWGAUGE_NUMERICS_FORMATS_INT8_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kInt8 = {
    .name = "int8",
    .file_name = "I8",
    .aliases = {"i8", "s8"},
    .kind = DTypeKind::kInteger,
    .total_bits = 8,
    .source = "two's complement, ISO C++20 [basic.fundamental]",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_INT8_H_
