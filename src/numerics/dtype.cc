#include "narrowgauge/dtype.h"

#include <cstddef>
#include <vector>

#include "src/numerics/all_formats.h"  // Made by CMake from formats/.
#include "src/numerics/format_words.h"

namespace narrowgauge {
namespace {

constexpr DTypeInfo kInfos[] = {
#define NG_DTYPE(enumerator, name) internal::formats::enumerator,
#include "narrowgauge/dtype_table.inc"
#undef NG_DTYPE
};

constexpr DType kDTypes[] = {
#define NG_DTYPE(enumerator, name) DType::enumerator,
#include "narrowgauge/dtype_table.inc"
#undef NG_DTYPE
};

#define NG_DTYPE(enumerator, row_name)                           \
  static_assert(internal::formats::enumerator.name == #row_name, \
                "the row and the format must have one name");
#include "narrowgauge/dtype_table.inc"
#undef NG_DTYPE

}  // namespace

const DTypeInfo& GetDTypeInfo(DType dtype) { return kInfos[static_cast<std::size_t>(dtype)]; }

std::span<const DType> AllDTypes() { return kDTypes; }

Result<DType> ParseDType(std::string_view word) {
  std::vector<internal::FormatWords> formats;
  for (const DTypeInfo& info : kInfos) formats.push_back(internal::WordsOf(info));
  return internal::FindFormat("dtype", word, formats).map([](std::size_t i) { return kDTypes[i]; });
}

}  // namespace narrowgauge
