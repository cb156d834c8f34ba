#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/checkpoint_fuzz.h"
#include "src/checkpoint/safetensors_header.h"
#include "src/checkpoint/safetensors_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace narrowgauge;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto reader = internal::OpenSafetensors({"fuzz.safetensors", bytes, {}}, {});
  if (reader) internal::CheckReader(**reader, size);
  // The text alone too: few mutations keep the length before it right.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(internal::ParseSafetensorsHeader(text, "fuzz.safetensors"));
  return 0;
}
