#include <fmt/format.h>

#include "narrowgauge/quantization.h"

namespace narrowgauge {

std::string FormatSpec(const QuantizationSpec& spec) {
  return fmt::format("{}{}", DTypeName(spec.dtype),
                     spec.granularity.kind == GranularityKind::kChannel ? "/channel" : "");
}

}  // namespace narrowgauge
