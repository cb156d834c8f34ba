#include <fmt/format.h>

#include <optional>

#include "narrowgauge/quantization.h"
#include "src/base/checked_math.h"
#include "src/quantize/convention_quantizer.h"

namespace narrowgauge {
namespace {

using internal::CheckedAdd;
using internal::CheckedMultiply;
using internal::DivideUp;
using Count = std::optional<std::int64_t>;  // Nothing where it does not fit.

constexpr int kBitsPerByte = 8;

Count Multiply(Count a, Count b) { return a && b ? CheckedMultiply(*a, *b) : std::nullopt; }

Count Add(Count a, Count b) { return a && b ? CheckedAdd(*a, *b) : std::nullopt; }

// Returns the bytes of `count` values of `bits` bits, packed: rounded up once. The bits need not
// fit.
Count PackedBytes(Count count, int bits) {
  if (!count) return std::nullopt;
  return Add(Multiply(*count / kBitsPerByte, bits),
             DivideUp(*count % kBitsPerByte * bits, std::int64_t{kBitsPerByte}));
}

int ScaleBits(DType dtype) { return StorageBits(GetDTypeInfo(dtype)); }

Count CountScales(const QuantizationGranularity& granularity, std::int64_t depth,
                  std::int64_t columns) {
  switch (granularity.kind) {
    case GranularityKind::kUnscaled:
      return 0;
    case GranularityKind::kTensor:
      return 1;
    case GranularityKind::kChannel:
      return columns;
    case GranularityKind::kInput:
      return depth;
    case GranularityKind::kGroup:
      return Multiply(columns, DivideUp(depth, granularity.rows));
    case GranularityKind::kBlock:
      return Multiply(DivideUp(depth, granularity.rows), DivideUp(columns, granularity.columns));
  }
  return std::nullopt;
}

struct Counts {
  Count codes;
  Count scales;
  Count padding = 0;
};

// Packages keep scales in types of their own, often that of the weights.
DType ScaleAsStored(const QuantizationSpec& spec, DType stored_dtype) {
  if (spec.convention == nullptr) return spec.scale_dtype;
  return internal::StoredScalesOf(*spec.convention, stored_dtype).scale_dtype;
}

BlockFormatInfo BlockAsStored(const QuantizationSpec& spec, DType stored_dtype) {
  BlockFormatInfo info = GetBlockFormatInfo(*spec.block_format);
  if (spec.convention == nullptr) return info;
  const auto stored = internal::StoredScalesOf(*spec.convention, stored_dtype);
  info.scale_dtype = stored.scale_dtype;
  if (!stored.has_tensor_scale) info.tensor_scale_dtype.reset();
  return info;
}

Counts CountPlain(const QuantizationSpec& spec, DType scale_dtype, std::int64_t depth,
                  std::int64_t columns) {
  const int element_bits = StorageBits(GetDTypeInfo(spec.dtype));
  const Count scales = CountScales(spec.granularity, depth, columns);
  const Count scale_bytes = PackedBytes(scales, ScaleBits(scale_dtype));
  Count zero_point_bytes = 0;
  if (spec.zero_point == ZeroPoint::kInteger) zero_point_bytes = PackedBytes(scales, element_bits);
  if (spec.zero_point == ZeroPoint::kFloat) zero_point_bytes = scale_bytes;
  return {.codes = PackedBytes(Multiply(depth, columns), element_bits),
          .scales = Add(scale_bytes, zero_point_bytes)};
}

Counts CountBlocks(const BlockFormatInfo& info, std::int64_t depth, std::int64_t columns) {
  const Count blocks = Multiply(columns, DivideUp(depth, std::int64_t{info.block_size}));
  const Count codes = PackedBytes(Multiply(depth, columns), info.element_bits);
  const Count whole = Multiply(blocks, PackedBytes(info.block_size, info.element_bits));
  const Count block_scales =
      PackedBytes(Multiply(blocks, info.scales_per_block), ScaleBits(info.scale_dtype));
  const Count tensor_scale =
      info.tensor_scale_dtype ? PackedBytes(1, ScaleBits(*info.tensor_scale_dtype)) : Count(0);
  return {.codes = codes,
          .scales = Add(block_scales, tensor_scale),
          .padding = whole && codes ? Count(*whole - *codes) : std::nullopt};
}

}  // namespace

Result<StoredBytes> CountStoredBytes(const QuantizationSpec& spec, std::int64_t depth,
                                     std::int64_t columns, DType stored_dtype) {
  if (const auto valid = ValidateSpec(spec); !valid) return tl::unexpected(valid.error());
  if (depth < 0 || columns < 0) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("K and N are 0 or more: {} x {}", depth, columns));
  }
  const Counts counts = spec.block_format
                            ? CountBlocks(BlockAsStored(spec, stored_dtype), depth, columns)
                            : CountPlain(spec, ScaleAsStored(spec, stored_dtype), depth, columns);
  if (!counts.codes || !counts.scales || !counts.padding) {
    return MakeError(
        StatusCode::kOutOfRange,
        fmt::format("more bytes than 64 bits can count, for K x N = {} x {}", depth, columns));
  }
  return StoredBytes{.codes = *counts.codes, .scales = *counts.scales, .padding = *counts.padding};
}

}  // namespace narrowgauge
