#ifndef NARROWGAUGE_BASE_ATOMIC_FILE_H_
#define NARROWGAUGE_BASE_ATOMIC_FILE_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// Returns "WHAT: REASON; ADVICE: \"PATH\"" for an errno value, with the code that fits it:
// kResourceExhausted when space or a limit is used up, kPermissionDenied when access is refused,
// kNotFound when the path is not there, kFailedPrecondition when it is of the wrong kind,
// kInvalidArgument when it can never name a file, else kUnknown.
[[nodiscard]] Error SystemError(std::string_view what, const std::string& path, int error_number);

// A file that appears whole or not at all. The bytes go to a temporary file beside the path, which
// takes the path's place only in Commit. Whatever happens before that, the destructor removes the
// temporary file and the path is as it was. Errors are those of SystemError.
class AtomicFile {
 public:
  // Creates the temporary file, which proves that the directory can be written. A path that leads
  // to something other than a regular file is refused with kFailedPrecondition; through a symbolic
  // link, the file it leads to is what will be replaced.
  [[nodiscard]] static Result<AtomicFile> Create(std::string path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  // Takes disk space for `size_bytes`, so that a full disk is found before the work. A file system
  // that cannot promise space is no error.
  [[nodiscard]] Result<void> Reserve(std::uint64_t size_bytes);

  // Makes `bytes` the content; to be called once.
  [[nodiscard]] Result<void> Write(std::string_view bytes);

  // Syncs the content to disk, then puts the file in place. After a power cut the path names the
  // whole file or what it named before.
  [[nodiscard]] Result<void> Commit();

 private:
  AtomicFile(std::string path, std::string temporary, int descriptor);

  std::string path_;
  std::string temporary_;  // Empty once it is no longer ours to remove.
  int descriptor_ = -1;
  std::uint64_t reserved_bytes_ = 0;
};

// Writes `bytes` to `path` through an AtomicFile. An existing file is replaced.
[[nodiscard]] Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_ATOMIC_FILE_H_
