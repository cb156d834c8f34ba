#include "narrowgauge/report.h"
#include "src/base/atomic_file.h"

namespace narrowgauge {

Result<void> WriteFileAtomically(const std::string& path, std::string_view text) {
  return internal::WriteFileAtomically(path, text);
}

}  // namespace narrowgauge
