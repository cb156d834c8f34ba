#ifndef NARROWGAUGE_NUMERICS_FORMATS_UINT4_H_
#define NARROWGAUGE_NUMERICS_FORMATS_UINT4_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kUint4 = {
    .name = "uint4",
    .aliases = {"u4"},
    .kind = DTypeKind::kInteger,
    .is_signed = false,
    .total_bits = 4,
    .source = "StableHLO (ui4)",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_UINT4_H_
