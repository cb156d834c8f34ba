#include "src/base/check.h"
#include "src/quantize/methods/methods.h"

namespace narrowgauge::internal {

const RangeMethodInfo& GetRangeMethod(RangeMethod method) {
  for (const RangeMethodInfo* info : {&kAbsmaxMethod, &kPercentileMethod, &kMseMethod}) {
    if (info->method == method) return *info;
  }
  NG_CHECK(false);
}

}  // namespace narrowgauge::internal
