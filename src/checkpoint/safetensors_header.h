#ifndef NARROWGAUGE_CHECKPOINT_SAFETENSORS_HEADER_H_
#define NARROWGAUGE_CHECKPOINT_SAFETENSORS_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/status.h"
#include "narrowgauge/tensor.h"

namespace narrowgauge::internal {

// A safetensors file is the little-endian 64-bit length of its header, the header, and the data.
inline constexpr std::uint64_t kSafetensorsLengthBytes = 8;
// The format's own limit, decimal.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

// One tensor as the header claims it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  Shape shape;
  std::uint64_t begin = 0;  // From the start of the data.
  std::uint64_t end = 0;
};

// Returns the length that a file of at least 8 bytes claims for its header.
[[nodiscard]] std::uint64_t SafetensorsHeaderLength(std::span<const std::byte> file);

// Returns the JSON text of the header, its length checked against the file and the limit.
[[nodiscard]] Result<std::string_view> SafetensorsHeaderText(std::span<const std::byte> file,
                                                             std::string_view path);

// Parses the header's JSON into its entries, in the order of the text. Types are checked here,
// values are not. Memory is proportional to the text; nesting is bounded, and nothing recurses.
//
// Stricter than the reference reader (safetensors 0.8), and as the format's README asks: the text
// must begin with '{', and no object, at any level, may hold a key twice. `__metadata__` is null or
// an object of strings. Unknown fields of a tensor are ignored.
[[nodiscard]] Result<std::vector<SafetensorsEntry>> ParseSafetensorsHeader(std::string_view text,
                                                                           std::string_view path);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_SAFETENSORS_HEADER_H_
