#ifndef NARROWGAUGE_NUMERICS_FORMATS_UINT2_H_
#define NARROWGAUGE_NUMERICS_FORMATS_UINT2_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kUint2 = {
    .name = "uint2",
    .aliases = {"u2"},
    .kind = DTypeKind::kInteger,
    .is_signed = false,
    .total_bits = 2,
    .source = "StableHLO (ui2)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_UINT2_H_
