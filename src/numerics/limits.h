#ifndef NARROWGAUGE_NUMERICS_LIMITS_H_
#define NARROWGAUGE_NUMERICS_LIMITS_H_

#include <cstdint>

#include "narrowgauge/codec.h"
#include "narrowgauge/dtype.h"

namespace narrowgauge::internal {

// The functions of narrowgauge/codec.h, from any descriptor.
[[nodiscard]] ValueClass ClassOf(const DTypeInfo& info, std::uint64_t code);
[[nodiscard]] DTypeLimits LimitsOf(const DTypeInfo& info);
[[nodiscard]] Neighbours NeighboursOf(const DTypeInfo& info, double value);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_LIMITS_H_
