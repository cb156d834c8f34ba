#include <cstdint>
#include <span>

#include "fuzz/checkpoint_fuzz.h"
#include "src/checkpoint/npy_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace narrowgauge;
  const auto bytes = std::as_bytes(std::span(data, size));
  for (const CheckpointOptions& options :
       {CheckpointOptions{}, CheckpointOptions{.npy_dtype = DType::kBFloat16}}) {
    const auto reader = internal::OpenNpy({"fuzz.npy", bytes, {}}, options);
    if (reader) internal::CheckReader(**reader, size);
  }
  return 0;
}
