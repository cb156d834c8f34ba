#ifndef NARROWGAUGE_BLOCK_FORMAT_H_
#define NARROWGAUGE_BLOCK_FORMAT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"

namespace narrowgauge {

// One enumerator per row of block_format_table.inc.
enum class BlockFormat : std::uint8_t {
#define NG_BLOCK_FORMAT(enumerator, name) enumerator,
#include "narrowgauge/block_format_table.inc"
#undef NG_BLOCK_FORMAT
};

// How the scale of a block comes from its elements.
enum class BlockFamily : std::uint8_t {
  kMx,     // A power of two by an MxScaleRule.
  kNvFp4,  // max|w| / 6, itself quantised to E4M3 under a float32 scale of the tensor.
  kGgml,   // As ggml's quantize_row_NAME_ref has it.
};

// A format whose elements come in blocks of consecutive k that share a scale and are stored whole:
// what is missing in a channel's last block is padding. Data only.
struct BlockFormatInfo {
  std::string_view name;
  // Other words for it. A word that two formats share is ambiguous.
  std::array<std::string_view, 3> aliases = {};
  BlockFamily family = BlockFamily::kMx;
  int block_size = 32;                // Elements.
  std::optional<DType> element = {};  // None if the codes are integers without a name of their own.
  int element_bits = 0;               // Bits of a code.
  DType scale_dtype = DType::kFloat8E8M0Fnu;
  int scales_per_block = 1;                      // 2: a scale and a minimum.
  std::optional<DType> tensor_scale_dtype = {};  // One more scale for the whole tensor, if any.
  std::string_view source;
};

[[nodiscard]] const BlockFormatInfo& GetBlockFormatInfo(BlockFormat format);

// All block formats in table order.
[[nodiscard]] std::span<const BlockFormat> AllBlockFormats();

// A format that elements are stored in, with or without scales of its own.
using NumberFormat = std::variant<DType, BlockFormat>;

[[nodiscard]] std::string_view NumberFormatName(const NumberFormat& format);

// Parses the name, file name or alias of a dtype or a block format, as ParseDType does.
[[nodiscard]] Result<NumberFormat> ParseNumberFormat(std::string_view word);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BLOCK_FORMAT_H_
