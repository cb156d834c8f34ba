#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace narrowgauge::internal {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "narrowgauge: broken promise at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace narrowgauge::internal
