#ifndef NARROWGAUGE_TENSOR_H_
#define NARROWGAUGE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"

namespace narrowgauge {

// Dimensions, outermost first. An empty shape is a scalar of one element.
using Shape = std::vector<std::int64_t>;

// Returns the product of the dimensions; kOutOfRange if it does not fit into int64 or a dimension
// is negative. The empty product is 1.
[[nodiscard]] Result<std::int64_t> NumElements(const Shape& shape);

// Returns "[64, 256]".
[[nodiscard]] std::string FormatShape(const Shape& shape);

// Elements of one dtype in row-major order that someone else owns. The bytes need no alignment.
struct TensorView {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::span<const std::byte> bytes;
};

// A row-major float32 matrix that owns its elements: the form in which operands are multiplied.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;

  [[nodiscard]] float At(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * columns + column)];
  }
};

}  // namespace narrowgauge

#endif  // NARROWGAUGE_TENSOR_H_
