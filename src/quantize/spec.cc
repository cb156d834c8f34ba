#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "narrowgauge/quantization.h"
#include "src/quantize/spec_keys.h"

namespace narrowgauge {
namespace {

using internal::kScaleDTypes;
using internal::SpecKey;

// Formats wider than this hold every weight without a scale.
constexpr int kWidestScaledBits = 16;

tl::unexpected<Error> Refuse(std::string message) {
  return MakeError(StatusCode::kInvalidArgument, std::move(message));
}

Result<void> ValidateGranularity(const QuantizationGranularity& granularity) {
  const GranularityKind kind = granularity.kind;
  const bool has_columns = kind == GranularityKind::kBlock;
  const bool has_rows = has_columns || kind == GranularityKind::kGroup;
  if (has_rows ? granularity.rows < 1 : granularity.rows != 0) {
    return Refuse(
        fmt::format("rows are 1 or more for group and block, else 0: \"{}\"", granularity.rows));
  }
  if (has_columns ? granularity.columns < 1 : granularity.columns != 0) {
    return Refuse(
        fmt::format("columns are 1 or more for block, else 0: \"{}\"", granularity.columns));
  }
  return {};
}

Result<void> ValidateBlockFormat(const QuantizationSpec& spec) {
  const std::string_view name = GetBlockFormatInfo(*spec.block_format).name;
  if (spec.granularity.kind != GranularityKind::kUnscaled) {
    return Refuse(fmt::format(
        "a block format has its own blocks and takes no granularity; write {} alone: \"{}\"", name,
        name));
  }
  if (spec.dtype != QuantizationSpec{}.dtype) {
    return Refuse(
        fmt::format("a block format has its own elements and takes no dtype: \"{}\"", name));
  }
  return {};
}

Result<void> ValidateDType(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  const bool is_scaled = spec.granularity.kind != GranularityKind::kUnscaled;
  if (!info.has_zero) {
    return Refuse(fmt::format(
        "a format without zero and sign is for scales, not for elements: \"{}\"", info.name));
  }
  if (info.kind == DTypeKind::kInteger && !is_scaled) {
    return Refuse(
        fmt::format("an integer needs a scale; write {}/tensor, {}/channel, {}/input, "
                    "{}/group:G or {}/block:RxC: \"{}\"",
                    info.name, info.name, info.name, info.name, info.name, info.name));
  }
  if (is_scaled && info.total_bits > kWidestScaledBits) {
    return Refuse(fmt::format(
        "a scale is for formats of {} bits or fewer; write {} without a granularity: \"{}\"",
        kWidestScaledBits, info.name, info.name));
  }
  return {};
}

// What keys say together, each of which may be said alone.
Result<void> ValidateScaling(const QuantizationSpec& spec) {
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  if (std::find(kScaleDTypes.begin(), kScaleDTypes.end(), spec.scale_dtype) == kScaleDTypes.end()) {
    std::string accepted;
    for (const DType dtype : kScaleDTypes) {
      accepted += fmt::format("{}{}", accepted.empty() ? "" : ", ", DTypeName(dtype));
    }
    return Refuse(fmt::format("no dtype for scales; expected one of {}: \"{}\"", accepted,
                              DTypeName(spec.scale_dtype)));
  }
  if (info.kind != DTypeKind::kInteger) return {};
  if (!info.is_signed && spec.zero_point == ZeroPoint::kNone) {
    return Refuse(fmt::format(
        "zero=none is for signed integers; write zero=int or zero=float for \"{}\"", info.name));
  }
  if (spec.zero_point == ZeroPoint::kFloat) {
    if (info.is_signed) {
      return Refuse(fmt::format(
          "zero=float counts codes from 0 and is for unsigned integers; write u{}: \"{}\"",
          info.name, info.name));
    }
    if (!GetDTypeInfo(spec.scale_dtype).is_signed) {
      return Refuse(fmt::format(
          "zero=float keeps a minimum in the dtype of scales, which must have a sign: \"{}\"",
          DTypeName(spec.scale_dtype)));
    }
  }
  return {};
}

Result<void> ValidateMethod(const QuantizationSpec& spec) {
  if (spec.method != RangeMethod::kPercentile) {
    if (spec.percentile == QuantizationSpec{}.percentile) return {};
    return Refuse(
        fmt::format("a percentile is for method=percentile only: \"{}\"", spec.percentile));
  }
  if (spec.percentile > 0 && spec.percentile <= 100) return {};
  return Refuse(fmt::format("a percentile is above 0 and up to 100: \"{}\"", spec.percentile));
}

}  // namespace

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

Result<void> ValidateSpec(const QuantizationSpec& spec) {
  if (auto valid = ValidateGranularity(spec.granularity); !valid) return valid;
  if (auto valid = spec.block_format ? ValidateBlockFormat(spec) : ValidateDType(spec); !valid) {
    return valid;
  }
  const QuantizationSpec defaults =
      spec.block_format ? MakeSpec(*spec.block_format) : MakeSpec(spec.dtype, spec.granularity);
  for (const SpecKey key : internal::kSpecKeys) {
    if (internal::SameUnderKey(spec, defaults, key)) continue;
    if (std::string why = internal::WhyKeyIsRefused(spec, key); !why.empty()) {
      return Refuse(std::move(why));
    }
  }
  if (auto valid = ValidateMethod(spec); !valid) return valid;
  return ValidateScaling(spec);
}

}  // namespace narrowgauge
