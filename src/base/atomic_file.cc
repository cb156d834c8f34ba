#include "src/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/base/check.h"

namespace narrowgauge::internal {
namespace {

struct Diagnosis {
  StatusCode code;
  std::string_view advice;
};

Diagnosis Diagnose(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return {StatusCode::kResourceExhausted, "free some space or choose another disk"};
    case EFBIG:
      return {StatusCode::kResourceExhausted, "raise the file size limit (ulimit -f)"};
    case EMFILE:
    case ENFILE:
      return {StatusCode::kResourceExhausted, "close some files or raise the limit (ulimit -n)"};
    case EACCES:
    case EPERM:
      return {StatusCode::kPermissionDenied, "choose a path you may use"};
    case EROFS:
      return {StatusCode::kPermissionDenied, "choose a path on a writable file system"};
    case ENOENT:
      return {StatusCode::kNotFound, "check the path"};
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
      return {StatusCode::kFailedPrecondition, "choose a path that is not taken by something else"};
    case ENAMETOOLONG:
    case ELOOP:
      return {StatusCode::kInvalidArgument, "choose a shorter, plainer path"};
    default:
      return {StatusCode::kUnknown, "check the disk and the path"};
  }
}

// Retries what a signal interrupted.
template <typename Call>
auto Uninterrupted(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// Gives a file blocks on disk but not a new size: to cut it back afterwards would cost as much as
// to sync it. Returns an errno value; a size limit, which the system checks only for sizes, counts
// too.
int AllocateBlocks(int descriptor, std::uint64_t size_bytes) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && size_bytes > limit.rlim_cur) return EFBIG;
  const int status = Uninterrupted([&] {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_bytes));
  });
  return status == 0 ? 0 : errno;
}

}  // namespace

Error SystemError(std::string_view what, const std::string& path, int error_number) {
  const auto [code, advice] = Diagnose(error_number);
  return {code, fmt::format("{}: {}; {}: \"{}\"", what,
                            std::generic_category().message(error_number), advice, path)};
}

AtomicFile::AtomicFile(std::string path, std::string temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::Create(std::string path) {
  // What is there may be replaced if it is a file. A device or a folder may not; a link stays, and
  // the file it leads to is replaced.
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      return MakeError(StatusCode::kFailedPrecondition,
                       fmt::format("cannot create the file: something that is no regular file is "
                                   "there; choose another path: \"{}\"",
                                   path));
    }
    std::error_code unresolved;
    const std::filesystem::path resolved = std::filesystem::canonical(path, unresolved);
    if (!unresolved) path = resolved.string();
  }
  // The process id tells two processes apart, the counter two threads; a file left by a process
  // that was killed and whose id came round again is stepped over.
  static std::atomic<unsigned> counter = 0;
  for (;;) {
    std::string temporary = fmt::format("{}.tmp-{}-{}", path, getpid(), counter.fetch_add(1));
    const int descriptor = Uninterrupted([&] {
      return open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    });
    if (descriptor >= 0) return AtomicFile(std::move(path), std::move(temporary), descriptor);
    if (errno != EEXIST) return tl::unexpected(SystemError("cannot create the file", path, errno));
  }
}

Result<void> AtomicFile::Reserve(std::uint64_t size_bytes) {
  if (size_bytes == 0) return {};
  const int failed = AllocateBlocks(descriptor_, size_bytes);
  if (failed == 0 || failed == EINVAL || failed == EOPNOTSUPP || failed == ENOSYS) {
    reserved_bytes_ = size_bytes;
    return {};
  }
  return tl::unexpected(
      SystemError(fmt::format("cannot reserve {} bytes for the file", size_bytes), path_, failed));
}

Result<void> AtomicFile::Write(std::string_view bytes) {
  const std::size_t size_bytes = bytes.size();
  while (!bytes.empty()) {
    const ssize_t written =
        Uninterrupted([&] { return write(descriptor_, bytes.data(), bytes.size()); });
    if (written < 0) return tl::unexpected(SystemError("cannot write the file", path_, errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // Only then is what Reserve took beyond the content worth giving back.
  constexpr std::uint64_t kWorthCutting = 1 << 20;
  if (reserved_bytes_ < size_bytes + kWorthCutting) return {};
  if (Uninterrupted([&] { return ftruncate(descriptor_, static_cast<off_t>(size_bytes)); }) != 0) {
    return tl::unexpected(SystemError("cannot set the size of the file", path_, errno));
  }
  return {};
}

Result<void> AtomicFile::Commit() {
  NG_CHECK(descriptor_ >= 0);
  if (Uninterrupted([&] { return fsync(descriptor_); }) != 0) {
    return tl::unexpected(SystemError("cannot sync the file", path_, errno));
  }
  // close is where a network file system reports what it could not store.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    return tl::unexpected(SystemError("cannot close the file", path_, errno));
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    return tl::unexpected(SystemError("cannot put the file in place", path_, errno));
  }
  temporary_.clear();
  return {};
}

Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes) {
  return AtomicFile::Create(path).and_then([&](AtomicFile&& file) -> Result<void> {
    return file.Write(bytes).and_then([&] { return file.Commit(); });
  });
}

}  // namespace narrowgauge::internal
