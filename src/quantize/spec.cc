#include "narrowgauge/quantization.h"

namespace narrowgauge {

QuantizationSpec MakeSpec(DType dtype, QuantizationGranularity granularity) {
  QuantizationSpec spec{.dtype = dtype, .block_format = {}, .granularity = granularity};
  const DTypeInfo& info = GetDTypeInfo(dtype);
  if (granularity.kind != GranularityKind::kUnscaled) spec.overflow = OverflowMode::kSaturate;
  if (info.kind == DTypeKind::kInteger && !info.is_signed) spec.zero_point = ZeroPoint::kInteger;
  return spec;
}

QuantizationSpec MakeSpec(BlockFormat format) {
  QuantizationSpec spec;
  spec.block_format = format;
  spec.overflow = OverflowMode::kSaturate;
  return spec;
}

}  // namespace narrowgauge
