#ifndef NARROWGAUGE_BASE_MAPPED_FILE_H_
#define NARROWGAUGE_BASE_MAPPED_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// The bytes of a regular file, mapped read-only for as long as this lives. Moving keeps the
// address. The size is that of the moment of opening: a file that another process shortens
// meanwhile ends the program with SIGBUS, as with every mapping.
class MappedFile {
 public:
  // Maps nothing: no bytes.
  MappedFile() = default;
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  // Never blocks, whatever `path` names. An empty file has no bytes.
  //   kNotFound            nothing is there
  //   kPermissionDenied    the system refuses to open it
  //   kFailedPrecondition  a directory, FIFO, socket or device
  //   kResourceExhausted   out of descriptors or address space
  //   kUnknown             any other failure, in the system's words
  [[nodiscard]] static Result<MappedFile> Open(const std::string& path);

  [[nodiscard]] std::span<const std::byte> Bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_MAPPED_FILE_H_
