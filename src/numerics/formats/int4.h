#ifndef NARROWGAUGE_NUMERICS_FORMATS_INT4_H_
#define NARROWGAUGE_NUMERICS_FORMATS_INT4_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kInt4 = {
    .name = "int4",
    .aliases = {"i4", "s4"},
    .kind = DTypeKind::kInteger,
    .total_bits = 4,
    .source = "two's complement, as StableHLO (si4) has it",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_INT4_H_
