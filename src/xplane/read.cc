#include "src/xplane/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "narrowgauge/xplane.h"
#include "src/base/atomic_file.h"
#include "src/xplane/encode.h"

namespace narrowgauge {
namespace internal {
namespace {

// Closes at the end of the scope.
struct Descriptor {
  int value;
  explicit Descriptor(int descriptor) : value(descriptor) {}
  ~Descriptor() {
    if (value >= 0) close(value);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

// Returns what is wrong with content that cannot be a trace at all; empty if nothing is.
std::string_view KnownCause(std::string_view bytes) {
  if (bytes.empty()) {
    return "the file is empty, as profilers leave it when a capture passes 2 GiB, which they "
           "report "
           "as success; capture a shorter time";
  }
  if (bytes.starts_with("\x1f\x8b")) return "the file is compressed with gzip; unpack it first";
  return {};
}

}  // namespace

Result<std::string> ReadXPlaneFile(const std::string& path) {
  // Without O_NONBLOCK the opening of a pipe would wait for its writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status = {};
  if (file.value < 0 || fstat(file.value, &status) != 0) {
    return tl::unexpected(SystemError("cannot read the trace", path, errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("a trace must be a regular file: \"{}\"", path));
  }
  const auto size_bytes = static_cast<std::size_t>(status.st_size);
  if (size_bytes > kMaxXSpaceBytes) {
    return MakeError(
        StatusCode::kResourceExhausted,
        fmt::format("the trace is larger than 2 GiB, which no writer of the format can "
                    "make whole: \"{}\"",
                    path));
  }
  std::string bytes(size_bytes, '\0');
  std::size_t filled = 0;
  while (filled < size_bytes) {
    const ssize_t count = read(file.value, bytes.data() + filled, size_bytes - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(SystemError("cannot read the trace", path, errno));
    if (count == 0) break;  // The file was cut meanwhile; decoding says what is missing.
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  if (const std::string_view cause = KnownCause(bytes); !cause.empty()) {
    return MakeError(StatusCode::kDataLoss, fmt::format("not a trace: {}: \"{}\"", cause, path));
  }
  return bytes;
}

}  // namespace internal

Result<XSpace> ReadXSpace(const std::string& path) {
  return internal::ReadXPlaneFile(path).and_then([&](const std::string& bytes) {
    return DecodeXSpace(std::as_bytes(std::span(bytes))).map_error([&](Error error) {
      error.message += fmt::format(": \"{}\"", path);
      return error;
    });
  });
}

}  // namespace narrowgauge
