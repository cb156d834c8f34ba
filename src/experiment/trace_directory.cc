#include "src/experiment/trace_directory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "src/base/atomic_file.h"

namespace narrowgauge::internal {
namespace {

namespace fs = std::filesystem;

std::string FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> ResolveTraceDirectory(const std::string& given) {
  std::string path = given.empty() ? FromEnvironment("TPU_TRACE_DIR") : given;
  if (path.empty()) path = "tpu-xprof-trace";
  if (path == "~" || path.starts_with("~/")) {
    const std::string home = FromEnvironment("HOME");
    if (home.empty()) {
      return MakeError(StatusCode::kInvalidArgument,
                       fmt::format("the trace directory needs $HOME, which is not set; name it "
                                   "without ~: \"{}\"",
                                   path));
    }
    path.replace(0, 1, home);
  }
  std::error_code failed;
  const fs::path absolute = fs::absolute(path, failed);
  if (failed) {
    return tl::unexpected(SystemError("cannot find the current directory", path, failed.value()));
  }
  // A slash at the end would make an empty last part.
  return (absolute / ".").lexically_normal().parent_path().string();
}

std::int64_t CountXPlaneFiles(const std::string& directory) {
  std::int64_t count = 0;
  std::error_code failed;
  for (auto entry = fs::recursive_directory_iterator(
           directory, fs::directory_options::skip_permission_denied, failed);
       !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code unreadable;
    if (entry->path().native().ends_with(".xplane.pb") && entry->is_regular_file(unreadable))
      ++count;
  }
  return count;
}

}  // namespace narrowgauge::internal
