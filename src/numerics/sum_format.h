#ifndef NARROWGAUGE_NUMERICS_SUM_FORMAT_H_
#define NARROWGAUGE_NUMERICS_SUM_FORMAT_H_

#include "narrowgauge/accumulation.h"

namespace narrowgauge::internal {

// The values of a float type that has a zero.
[[nodiscard]] SumFormat SumFormatOf(DType dtype);
// Of a type that is no integer.
[[nodiscard]] SumFormat SumFormatOf(const SumType& type);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_SUM_FORMAT_H_
