#ifndef NARROWGAUGE_NUMERICS_FORMAT_WORDS_H_
#define NARROWGAUGE_NUMERICS_FORMAT_WORDS_H_

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "narrowgauge/block_format.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// What a format may be called.
struct FormatWords {
  std::string_view name;
  std::vector<std::string_view> others;  // As files spell it, and aliases.
};

[[nodiscard]] FormatWords WordsOf(const DTypeInfo& info);
[[nodiscard]] FormatWords WordsOf(const BlockFormatInfo& info);

// Returns the index of the format that `word` means, whatever its case; a name goes before the
// other words. kInvalidArgument names all formats that it could mean or, where there are none, the
// names and the nearest word. `what` is what they are: "dtype".
[[nodiscard]] Result<std::size_t> FindFormat(std::string_view what, std::string_view word,
                                             std::span<const FormatWords> formats);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_NUMERICS_FORMAT_WORDS_H_
