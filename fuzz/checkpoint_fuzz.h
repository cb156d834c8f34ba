#ifndef NARROWGAUGE_FUZZ_CHECKPOINT_FUZZ_H_
#define NARROWGAUGE_FUZZ_CHECKPOINT_FUZZ_H_

#include <cstddef>
#include <span>

#include "narrowgauge/checkpoint.h"
#include "src/base/check.h"

namespace narrowgauge::internal {

// Holds a reader of bytes that a fuzzer made to the promises of CheckpointReader, and reads every
// byte of its views, so that the address sanitizer sees them.
inline void CheckReader(CheckpointReader& reader, std::size_t file_bytes) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < reader.Tensors().size(); ++i) {
    const TensorInfo& tensor = reader.Tensors()[i];
    NG_CHECK(tensor.offset_bytes <= file_bytes &&
             tensor.size_bytes <= file_bytes - tensor.offset_bytes);
    const Result<TensorView> view = reader.View(i);
    NG_CHECK(view.has_value() == tensor.dtype.has_value());
    if (!view) continue;
    NG_CHECK(view->bytes.size() == tensor.size_bytes);
    NG_CHECK(NumElements(view->shape).has_value());
    for (const std::byte byte : view->bytes) sum += std::to_integer<unsigned>(byte);
  }
  [[maybe_unused]] volatile unsigned sink = sum;
  const Result<std::size_t> matrix = FindMatrix(reader, "");
  NG_CHECK(!matrix || *matrix < reader.Tensors().size());
  static_cast<void>(FindMatrix(reader, "no such tensor"));
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_FUZZ_CHECKPOINT_FUZZ_H_
