#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "narrowgauge/xplane.h"
#include "src/base/check.h"

// Whatever can be read can be written, and what was written reads as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto space = narrowgauge::DecodeXSpace(std::as_bytes(std::span(data, size)));
  if (!space) return 0;
  const auto bytes = narrowgauge::EncodeXSpace(*space);
  NG_CHECK(bytes.has_value());
  const auto again = narrowgauge::DecodeXSpace(std::as_bytes(std::span(*bytes)));
  // Compared as bytes, since a NaN does not equal itself.
  NG_CHECK(again.has_value() && narrowgauge::EncodeXSpace(*again).value() == *bytes);
  return 0;
}
