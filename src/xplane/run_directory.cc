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

bool IsDirectory(const std::string& path) {
  struct stat status = {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
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
  std::string made;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    made = made.empty() ? part.string() : (std::filesystem::path(made) / part).string();
    if (mkdir(made.c_str(), 0777) == 0) {
      made_.push_back(made);
      continue;
    }
    const int failed = errno;
    if (!IsDirectory(made)) return failed == EEXIST ? ENOTDIR : failed;
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
