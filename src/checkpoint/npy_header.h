#ifndef NARROWGAUGE_CHECKPOINT_NPY_HEADER_H_
#define NARROWGAUGE_CHECKPOINT_NPY_HEADER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/status.h"
#include "narrowgauge/tensor.h"

namespace narrowgauge::internal {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";

// The kind of an element that is a list of named fields; all others are NumPy's letters.
inline constexpr char kNpyRecord = '[';

// One element of an array.
struct NpyElement {
  char kind = 0;  // 'b', 'i', 'u', 'f', 'c', 'm', 'M', 'S', 'U', 'V' or kNpyRecord.
  std::endian byte_order = std::endian::little;
  std::uint64_t size_bytes = 0;
};

// Which index changes fastest in the file: the last (C) or the first (Fortran).
enum class NpyOrder : std::uint8_t { kC, kFortran };

struct NpyHeader {
  std::string descr;  // The file's own word, such as "<f4"; "record" for a list of fields.
  NpyElement element;
  NpyOrder order = NpyOrder::kC;
  Shape shape;
  std::uint64_t data_start = 0;
};

// Parses the header of a .npy file of version 1.0, 2.0 or 3.0 (numpy.lib.format): a Python dict
// literal with exactly the keys descr, fortran_order and shape, in any order, closed by spaces and
// a newline. What NumPy writes is accepted; other Python is not. kUnimplemented for object arrays,
// which hold a pickle, and for other versions; kDataLoss for all else. The data is not looked at.
[[nodiscard]] Result<NpyHeader> ParseNpyHeader(std::span<const std::byte> file,
                                               std::string_view path);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_NPY_HEADER_H_
