#ifndef NARROWGAUGE_NUMERICS_FORMATS_INT2_H_
#define NARROWGAUGE_NUMERICS_FORMATS_INT2_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kInt2 = {
    .name = "int2",
    .aliases = {"i2", "s2"},
    .kind = DTypeKind::kInteger,
    .total_bits = 2,
    .source = "two's complement, as StableHLO (si2) has it",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_INT2_H_
