#include "src/base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace narrowgauge::internal {
namespace {

// Closes a descriptor at the end of a scope; the mapping outlives it.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int Number() const { return number_; }

 private:
  int number_;
};

tl::unexpected<Error> NotRegular(std::string_view kind, const std::string& path) {
  return MakeError(
      StatusCode::kFailedPrecondition,
      fmt::format("file is a {}; expected a regular file: {:?}", kind, std::string_view(path)));
}

tl::unexpected<Error> SystemError(int number, const std::string& path) {
  const std::string_view name = path;
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return MakeError(StatusCode::kNotFound,
                       fmt::format("file not found; expected an existing file: {:?}", name));
    case EACCES:
    case EPERM:
      return MakeError(
          StatusCode::kPermissionDenied,
          fmt::format("file cannot be opened; expected one that may be read: {:?}", name));
    case ENXIO:  // What opening a socket says.
      return NotRegular("socket or device", path);
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return MakeError(
          StatusCode::kResourceExhausted,
          fmt::format("file cannot be opened; expected free descriptors and memory: {:?}", name));
    default:
      return MakeError(
          StatusCode::kUnknown,
          fmt::format("file cannot be opened; expected a readable regular file ({}): {:?}",
                      std::generic_category().message(number), name));
  }
}

std::string_view KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return "directory";
  if (S_ISFIFO(mode)) return "FIFO";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

}  // namespace

MappedFile::~MappedFile() {
  // munmap takes what mmap gave, which was never const.
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Result<MappedFile> MappedFile::Open(const std::string& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to would wait forever.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.Number() < 0) return SystemError(errno, path);
  struct stat status {};
  if (fstat(file.Number(), &status) != 0) return SystemError(errno, path);
  if (!S_ISREG(status.st_mode)) return NotRegular(KindOf(status.st_mode), path);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return MappedFile();
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.Number(), 0);
  if (address == MAP_FAILED) return SystemError(errno, path);
  return MappedFile({static_cast<const std::byte*>(address), size});
}

}  // namespace narrowgauge::internal
