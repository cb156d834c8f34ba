#ifndef NARROWGAUGE_NUMERICS_FORMATS_UINT8_H_
#define NARROWGAUGE_NUMERICS_FORMATS_UINT8_H_

#include "narrowgauge/dtype.h"

namespace narrowgauge::internal::formats {

inline constexpr DTypeInfo kUint8 = {
    .name = "uint8",
    .file_name = "U8",
    .aliases = {"u8"},
    .kind = DTypeKind::kInteger,
    .is_signed = false,
    .total_bits = 8,
    .source = "ISO C++20 [basic.fundamental]",
};

}  // namespace narrowgauge::internal::formats

#endif  // NARROWGAUGE_NUMERICS_FORMATS_UINT8_H_
