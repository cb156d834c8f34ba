#ifndef NARROWGAUGE_CHECKPOINT_FILE_IMAGE_H_
#define NARROWGAUGE_CHECKPOINT_FILE_IMAGE_H_

#include <cstddef>
#include <span>
#include <string>

#include "src/base/mapped_file.h"

namespace narrowgauge::internal {

// The bytes of a file and what it is called in messages. Bytes that come from elsewhere than a file
// (tests, fuzzers) leave `mapping` empty and must outlive the reader.
struct FileImage {
  std::string path;
  std::span<const std::byte> bytes;
  MappedFile mapping;  // Keeps `bytes` alive.
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_FILE_IMAGE_H_
