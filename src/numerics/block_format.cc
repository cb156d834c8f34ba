#include "narrowgauge/block_format.h"

#include <cstddef>
#include <vector>

#include "src/numerics/all_block_formats.h"  // Made by CMake from block_formats/.
#include "src/numerics/format_words.h"

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

std::string_view NumberFormatName(const NumberFormat& format) {
  if (const auto* dtype = std::get_if<DType>(&format)) return DTypeName(*dtype);
  return GetBlockFormatInfo(std::get<BlockFormat>(format)).name;
}

Result<NumberFormat> ParseNumberFormat(std::string_view word) {
  std::vector<NumberFormat> formats;
  std::vector<internal::FormatWords> words;
  for (const DType dtype : AllDTypes()) {
    formats.emplace_back(dtype);
    words.push_back(internal::WordsOf(GetDTypeInfo(dtype)));
  }
  for (const BlockFormat format : AllBlockFormats()) {
    formats.emplace_back(format);
    words.push_back(internal::WordsOf(GetBlockFormatInfo(format)));
  }
  return internal::FindFormat("format", word, words).map([&](std::size_t i) { return formats[i]; });
}

}  // namespace narrowgauge
