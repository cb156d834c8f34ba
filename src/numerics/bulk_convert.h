#ifndef NARROWGAUGE_NUMERICS_BULK_CONVERT_H_
#define NARROWGAUGE_NUMERICS_BULK_CONVERT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "narrowgauge/dtype.h"
#include "narrowgauge/rounding.h"
#include "src/kernels/kernels.h"

// Conversion of many elements, in vectors where the kernels know the format, else by the reference
// codec. Codes take CodeBytes(total_bits) bytes each, little-endian, not packed any further.

namespace narrowgauge::internal {

// Returns what the kernels need to know of a format, or nothing if they cannot convert to it:
// float32 and float64 themselves, and descriptors of a kind that no format in the table is of.
[[nodiscard]] std::optional<CodecConstants> MakeCodecConstants(const DTypeInfo& info,
                                                               OverflowMode overflow);

// codes[i] = the code of values[i]. Not for kStochastic.
void EncodeBulk(const Kernels& kernels, const DTypeInfo& info, std::span<const float> values,
                RoundingMode rounding, OverflowMode overflow, std::span<std::byte> codes);

// values[i] = the value of codes[i] as float32, rounded where float32 does not hold it.
void DecodeBulk(const Kernels& kernels, const DTypeInfo& info, std::span<const std::byte> codes,
                std::span<float> values);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_BULK_CONVERT_H_
