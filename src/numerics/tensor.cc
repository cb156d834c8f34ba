#include "narrowgauge/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "src/base/checked_math.h"

namespace narrowgauge {

Result<std::int64_t> NumElements(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t d) { return d < 0; })) {
    return MakeError(StatusCode::kOutOfRange,
                     fmt::format("a shape has a negative dimension; expected dimensions of 0 or "
                                 "more: {}",
                                 FormatShape(shape)));
  }
  // Looked for first: a product of 0 fits even where some of its factors' does not.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    const std::optional<std::int64_t> product = internal::CheckedMultiply(count, dimension);
    if (!product) {
      return MakeError(StatusCode::kOutOfRange,
                       fmt::format("a shape has too many elements; expected less than 2^63: {}",
                                   FormatShape(shape)));
    }
    count = *product;
  }
  return count;
}

std::string FormatShape(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace narrowgauge
