#include "narrowgauge/block_format.h"

#include <cstddef>

#include "src/numerics/all_block_formats.h"  // Made by CMake from block_formats/.

namespace narrowgauge {
namespace {

constexpr BlockFormatInfo kInfos[] = {
#define NG_BLOCK_FORMAT(enumerator, name) internal::block_formats::enumerator,
#include "narrowgauge/block_format_table.inc"
#undef NG_BLOCK_FORMAT
};

constexpr BlockFormat kBlockFormats[] = {
#define NG_BLOCK_FORMAT(enumerator, name) BlockFormat::enumerator,
#include "narrowgauge/block_format_table.inc"
#undef NG_BLOCK_FORMAT
};

#define NG_BLOCK_FORMAT(enumerator, row_name)                          \
  static_assert(internal::block_formats::enumerator.name == #row_name, \
                "the row and the format must have one name");
#include "narrowgauge/block_format_table.inc"
#undef NG_BLOCK_FORMAT

}  // namespace

const BlockFormatInfo& GetBlockFormatInfo(BlockFormat format) {
  return kInfos[static_cast<std::size_t>(format)];
}

std::span<const BlockFormat> AllBlockFormats() { return kBlockFormats; }

}  // namespace narrowgauge
