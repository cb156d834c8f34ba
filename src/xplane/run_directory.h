#ifndef NARROWGAUGE_XPLANE_RUN_DIRECTORY_H_
#define NARROWGAUGE_XPLANE_RUN_DIRECTORY_H_

#include <ctime>
#include <string>
#include <vector>

#include "narrowgauge/status.h"

namespace narrowgauge::internal {

// <trace_dir>/plugins/profile/<run>, where XProf looks for runs. It belongs to one capture alone:
// the directory did not exist before, whatever other threads and processes do at the same time.
// Unless Keep is called, the destructor removes it and those of its parents that this object made,
// as far as they are empty.
class RunDirectory {
 public:
  // Names the run YYYY_MM_DD_HH_MM_SS in local time, as JAX does, and adds _1, _2, … where that is
  // taken. Parents are made as needed. Errors are those of SystemError.
  [[nodiscard]] static Result<RunDirectory> Create(const std::string& trace_dir, std::time_t time);

  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;
  ~RunDirectory();

  [[nodiscard]] const std::string& Path() const { return path_; }
  [[nodiscard]] const std::string& Name() const { return name_; }

  void Keep() { made_.clear(); }

 private:
  RunDirectory() = default;

  // Returns the errno of what failed, or 0.
  [[nodiscard]] int MakeWithParents(const std::string& path);

  std::string path_;
  std::string name_;
  std::vector<std::string> made_;  // Parents before children.
};

// Returns the name of this host, as the stem of a file: characters other than letters, digits, '-',
// '_' and '.' become '_', and so does a dot in front. "localhost" if the host has no name.
[[nodiscard]] std::string HostFileStem();

// HostFileStem of a given name.
[[nodiscard]] std::string HostFileStem(const std::string& host);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_XPLANE_RUN_DIRECTORY_H_
