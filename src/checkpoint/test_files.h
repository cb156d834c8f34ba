#ifndef NARROWGAUGE_CHECKPOINT_TEST_FILES_H_
#define NARROWGAUGE_CHECKPOINT_TEST_FILES_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/checkpoint.h"
#include "src/checkpoint/file_image.h"

// What the tests of the readers share: small files made in memory.
namespace narrowgauge::internal::test {

// Returns `value` in `size` little-endian bytes.
inline std::string LittleEndian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

inline std::string Zeros(std::size_t count) { return std::string(count, '\0'); }

// A safetensors file with this header, whose length is told truly, and this data.
inline std::string Safetensors(std::string_view header, std::string_view data) {
  return LittleEndian(header.size(), 8).append(header).append(data);
}

// A .npy file with this dict, padded as NumPy pads it, and this data.
inline std::string Npy(std::string_view dict, std::string_view data, int major = 1) {
  const int length_bytes = major == 1 ? 2 : 4;
  std::string header(dict);
  header.append(63 - (8 + static_cast<std::size_t>(length_bytes) + header.size()) % 64, ' ')
      .append("\n");
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
         LittleEndian(header.size(), length_bytes) + header + std::string(data);
}

inline std::string NpyDict(std::string_view descr, std::string_view shape,
                           std::string_view fortran_order = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran_order) +
         ", 'shape': " + std::string(shape) + ", }";
}

// An image of bytes that outlive it, called "the file".
inline FileImage Image(std::string_view bytes) {
  return {"the file", std::as_bytes(std::span(bytes)), {}};
}

inline std::string_view Text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// One input that must be refused, and how.
struct Refusal {
  std::string_view name;
  std::string bytes;
  StatusCode code;
  std::string_view message_part;
};

inline std::ostream& operator<<(std::ostream& out, const Refusal& refusal) {
  return out << refusal.name;
}

inline std::string RefusalName(const testing::TestParamInfo<Refusal>& info) {
  return std::string(info.param.name);
}

}  // namespace narrowgauge::internal::test

#endif  // NARROWGAUGE_CHECKPOINT_TEST_FILES_H_
