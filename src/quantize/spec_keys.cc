#include "src/quantize/spec_keys.h"

#include <fmt/format.h>

#include <cstddef>

namespace narrowgauge::internal {
namespace {

constexpr std::array<std::string_view, kSpecKeys.size()> kNames = {
    "scale", "range", "zero", "method", "round", "overflow", "rule", "apply", "like"};

std::string WhyBlockFormatRefuses(BlockFormat format, SpecKey key) {
  const BlockFormatInfo& info = GetBlockFormatInfo(format);
  std::string_view taken;
  switch (info.family) {
    case BlockFamily::kMx:
      if (key == SpecKey::kRule || key == SpecKey::kRound || key == SpecKey::kApply) return {};
      taken = "round=, rule=, apply= and like=";
      break;
    case BlockFamily::kNvFp4:
      if (key == SpecKey::kRound || key == SpecKey::kApply) return {};
      taken = "round=, apply= and like=";
      break;
    case BlockFamily::kGgml:
      taken = "like=, since ggml says all the rest";
      break;
  }
  if (key == SpecKey::kLike) return {};
  return fmt::format("{}= is not for this block format, which takes only {}: \"{}\"",
                     SpecKeyName(key), taken, info.name);
}

}  // namespace

std::string_view SpecKeyName(SpecKey key) { return kNames[static_cast<std::size_t>(key)]; }

bool SameUnderKey(const QuantizationSpec& a, const QuantizationSpec& b, SpecKey key) {
  switch (key) {
    case SpecKey::kScale:
      return a.scale_dtype == b.scale_dtype;
    case SpecKey::kRange:
      return a.range == b.range;
    case SpecKey::kZero:
      return a.zero_point == b.zero_point;
    case SpecKey::kMethod:
      return a.method == b.method && a.percentile == b.percentile;
    case SpecKey::kRound:
      return a.rounding == b.rounding;
    case SpecKey::kOverflow:
      return a.overflow == b.overflow;
    case SpecKey::kRule:
      return a.rule == b.rule;
    case SpecKey::kApply:
      return a.scale_use == b.scale_use;
    case SpecKey::kLike:
      return a.convention == b.convention;
  }
  return false;
}

std::string WhyKeyIsRefused(const QuantizationSpec& spec, SpecKey key) {
  if (spec.block_format) return WhyBlockFormatRefuses(*spec.block_format, key);
  const DTypeInfo& info = GetDTypeInfo(spec.dtype);
  const bool is_integer = info.kind == DTypeKind::kInteger;
  switch (key) {
    case SpecKey::kRound:
      return {};
    case SpecKey::kRule:
      return fmt::format("rule= is for MX formats, such as mxfp4: \"{}\"", info.name);
    case SpecKey::kOverflow:
      if (!is_integer) return {};
      return fmt::format("overflow= is for floats; integers always saturate: \"{}\"", info.name);
    case SpecKey::kRange:
      if (!is_integer) {
        return fmt::format(
            "range= is for integers; a float's scale divides by its largest value: \"{}\"",
            info.name);
      }
      if (spec.zero_point != ZeroPoint::kNone) {
        return fmt::format("range= is for zero=none; with a zero point all codes are used: \"{}\"",
                           info.name);
      }
      break;
    case SpecKey::kZero:
      if (!is_integer) {
        return fmt::format("zero= is for integers; floats have no zero point: \"{}\"", info.name);
      }
      break;
    case SpecKey::kScale:
    case SpecKey::kMethod:
    case SpecKey::kApply:
    case SpecKey::kLike:
      break;
  }
  if (spec.granularity.kind != GranularityKind::kUnscaled) return {};
  return fmt::format("{}= needs a scale; write who shares one, as in {}/channel: \"{}\"",
                     SpecKeyName(key), info.name, info.name);
}

}  // namespace narrowgauge::internal
