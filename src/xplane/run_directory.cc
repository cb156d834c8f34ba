#include "src/xplane/run_directory.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "src/base/atomic_file.h"

namespace narrowgauge::internal {
namespace {

// Another capture that gives up may remove parents between our making them and using them; it can
// do so only while they are empty, so some tries settle it: these take a fraction of a second.
constexpr int kTries = 10'000;

std::string TimeName(std::time_t time) {
  std::tm local{};
  localtime_r(&time, &local);
  return fmt::format("{:%Y_%m_%d_%H_%M_%S}", local);
}

// Makes a directory, or finds it made: 0, or why there is none. ENOENT also when one was in mkdir's
// way and gone when looked at, so that the caller tries again.
int MakeOrFind(const std::string& path, bool& made) {
  made = mkdir(path.c_str(), 0777) == 0;
  if (made) return 0;
  const int failed = errno;
  struct stat status = {};
  if (stat(path.c_str(), &status) == 0) return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  if (failed != EEXIST) return failed;
  const bool leads_nowhere = lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
  return leads_nowhere ? ENOTDIR : ENOENT;
}

}  // namespace

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      made_(std::exchange(other.made_, {})) {}

RunDirectory::~RunDirectory() {
  // rmdir leaves a directory alone that someone else has put something into.
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) rmdir(path->c_str());
}

int RunDirectory::MakeWithParents(const std::string& path) {
  std::string directory;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    directory =
        directory.empty() ? part.string() : (std::filesystem::path(directory) / part).string();
    bool made = false;
    if (const int failed = MakeOrFind(directory, made); failed != 0) return failed;
    if (made) made_.push_back(directory);
  }
  return 0;
}

Result<RunDirectory> RunDirectory::Create(const std::string& trace_dir, std::time_t time) {
  const std::string parent = (std::filesystem::path(trace_dir) / "plugins" / "profile").string();
  const std::string base = TimeName(time);
  RunDirectory run;
  int suffix = 0;
  int failed = ENOENT;
  for (int tries = 0; tries < kTries && failed == ENOENT; ++tries) {
    failed = run.MakeWithParents(parent);
    if (failed != 0) continue;
    do {
      run.name_ = suffix == 0 ? base : fmt::format("{}_{}", base, suffix);
      run.path_ = (std::filesystem::path(parent) / run.name_).string();
      failed = mkdir(run.path_.c_str(), 0777) == 0 ? 0 : errno;
      if (failed == EEXIST) ++suffix;
    } while (failed == EEXIST);
    if (failed == 0) {
      run.made_.push_back(run.path_);
      return run;
    }
  }
  return tl::unexpected(SystemError("cannot make the trace directory", trace_dir, failed));
}

std::string HostFileStem() {
  // POSIX allows 255 characters and an end that is missing.
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return HostFileStem("");
  return HostFileStem(name.data());
}

std::string HostFileStem(const std::string& host) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  if (host.empty()) return "localhost";
  std::string stem = host;
  for (char& c : stem) {
    if (kPlain.find(c) == std::string_view::npos) c = '_';
  }
  if (stem[0] == '.') stem[0] = '_';
  return stem;
}

}  // namespace narrowgauge::internal
