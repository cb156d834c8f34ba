#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <variant>

#include "narrowgauge/convention.h"
#include "narrowgauge/quantization.h"
#include "src/policy/words.h"
#include "src/quantize/spec_keys.h"

namespace narrowgauge {
namespace {

using internal::ParseCount;
using internal::ParseWord;
using internal::RefuseText;
using internal::SpecKey;
using internal::SpecKeyName;
using internal::SplitAtFirst;
using internal::SplitText;
using internal::Word;
using internal::WordOf;

constexpr Word<GranularityKind> kGranularities[] = {{"tensor", GranularityKind::kTensor},
                                                    {"channel", GranularityKind::kChannel},
                                                    {"input", GranularityKind::kInput},
                                                    {"group", GranularityKind::kGroup},
                                                    {"block", GranularityKind::kBlock}};
constexpr Word<ScaleRange> kRanges[] = {
    {"127", ScaleRange::kNarrow}, {"127.5", ScaleRange::kMiddle}, {"128", ScaleRange::kFull}};
constexpr Word<ZeroPoint> kZeroPoints[] = {
    {"none", ZeroPoint::kNone}, {"int", ZeroPoint::kInteger}, {"float", ZeroPoint::kFloat}};
constexpr Word<RangeMethod> kMethods[] = {{"absmax", RangeMethod::kAbsmax},
                                          {"percentile", RangeMethod::kPercentile},
                                          {"mse", RangeMethod::kMse}};
constexpr Word<RoundingMode> kRoundings[] = {{"even", RoundingMode::kNearestEven},
                                             {"away", RoundingMode::kNearestAway},
                                             {"zero", RoundingMode::kTowardZero},
                                             {"stochastic", RoundingMode::kStochastic}};
constexpr Word<OverflowMode> kOverflows[] = {{"native", OverflowMode::kNative},
                                             {"saturate", OverflowMode::kSaturate}};
constexpr Word<MxScaleRule> kRules[] = {{"floor", MxScaleRule::kFloor},
                                        {"ceil", MxScaleRule::kCeil},
                                        {"rceil", MxScaleRule::kRceil},
                                        {"nearest", MxScaleRule::kNearest}};
constexpr Word<ScaleUse> kScaleUses[] = {
    {"", ScaleUse::kDefault}, {"before", ScaleUse::kBefore}, {"after", ScaleUse::kAfter}};

// ---- Formats ---------------------------------------------------------------------------------

QuantizationSpec SpecOf(const NumberFormat& format, const QuantizationGranularity& granularity) {
  if (const auto* const dtype = std::get_if<DType>(&format)) return MakeSpec(*dtype, granularity);
  QuantizationSpec spec = MakeSpec(std::get<BlockFormat>(format));
  spec.granularity = granularity;  // ValidateSpec says why not.
  return spec;
}

NumberFormat FormatOf(const QuantizationSpec& spec) {
  if (spec.block_format) return *spec.block_format;
  return spec.dtype;
}

// ---- Granularities ---------------------------------------------------------------------------

Result<QuantizationGranularity> ParseGranularity(std::string_view text) {
  const auto [word, size] = SplitAtFirst(text, ':');
  const auto kind = ParseWord("granularity", word, kGranularities);
  if (!kind) return tl::unexpected(kind.error());
  QuantizationGranularity granularity = {.kind = *kind};
  if (*kind == GranularityKind::kGroup) {
    if (!size) return RefuseText(fmt::format("group needs a size, as in group:128: \"{}\"", text));
    const auto rows = ParseCount("a group's size", *size);
    if (!rows) return tl::unexpected(rows.error());
    granularity.rows = *rows;
  } else if (*kind == GranularityKind::kBlock) {
    const auto [first, second] = SplitAtFirst(size.value_or(""), 'x');
    if (!second) {
      return RefuseText(fmt::format("block needs two sizes, as in block:128x128: \"{}\"", text));
    }
    const auto rows = ParseCount("a block's size along K", first);
    if (!rows) return tl::unexpected(rows.error());
    const auto columns = ParseCount("a block's size along N", *second);
    if (!columns) return tl::unexpected(columns.error());
    granularity.rows = *rows;
    granularity.columns = *columns;
  } else if (size) {
    return RefuseText(fmt::format("{} takes no size: \"{}\"", word, text));
  }
  return granularity;
}

std::string FormatGranularity(const QuantizationGranularity& granularity) {
  switch (granularity.kind) {
    case GranularityKind::kUnscaled:
      return {};
    case GranularityKind::kGroup:
      return fmt::format("/group:{}", granularity.rows);
    case GranularityKind::kBlock:
      return fmt::format("/block:{}x{}", granularity.rows, granularity.columns);
    default:
      return fmt::format("/{}", WordOf(granularity.kind, kGranularities));
  }
}

// ---- Keys ------------------------------------------------------------------------------------

Result<void> ParseMethod(std::string_view text, QuantizationSpec& spec) {
  const auto [word, percentile] = SplitAtFirst(text, ':');
  const auto method = ParseWord("value of method=", word, kMethods);
  if (!method) return tl::unexpected(method.error());
  spec.method = *method;
  spec.percentile = QuantizationSpec{}.percentile;
  if (*method != RangeMethod::kPercentile) {
    if (!percentile) return {};
    return RefuseText(fmt::format("method={} takes no number: \"{}\"", word, text));
  }
  const std::string_view number = percentile.value_or("");
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, spec.percentile);
  if (error == std::errc() && stop == end && spec.percentile > 0 && spec.percentile <= 100) {
    return {};
  }
  return RefuseText(fmt::format(
      "method=percentile needs a number above 0 and up to 100, as in percentile:99.9: \"{}\"",
      text));
}

Result<void> ParseScaleDType(std::string_view text, QuantizationSpec& spec) {
  const auto dtype = ParseDType(text);
  std::vector<std::string_view> names;
  for (const DType accepted : internal::kScaleDTypes) {
    if (dtype && *dtype == accepted) {
      spec.scale_dtype = *dtype;
      return {};
    }
    names.push_back(DTypeName(accepted));
  }
  return RefuseText(internal::UnknownName("value of scale=", text, names));
}

Result<void> ParseScaleUse(std::string_view text, QuantizationSpec& spec) {
  constexpr Word<ScaleUse> kUses[] = {{"before", ScaleUse::kBefore}, {"after", ScaleUse::kAfter}};
  const auto use = ParseWord("value of apply=", text, kUses);
  if (!use) return tl::unexpected(use.error());
  spec.scale_use = *use;
  return {};
}

template <typename T, std::size_t N>
Result<void> ParseInto(T& field, SpecKey key, std::string_view text, const Word<T> (&words)[N]) {
  const auto value = ParseWord(fmt::format("value of {}=", SpecKeyName(key)), text, words);
  if (!value) return tl::unexpected(value.error());
  field = *value;
  return {};
}

Result<void> ParseKey(SpecKey key, std::string_view text, QuantizationSpec& spec) {
  switch (key) {
    case SpecKey::kScale:
      return ParseScaleDType(text, spec);
    case SpecKey::kRange:
      return ParseInto(spec.range, key, text, kRanges);
    case SpecKey::kZero:
      return ParseInto(spec.zero_point, key, text, kZeroPoints);
    case SpecKey::kMethod:
      return ParseMethod(text, spec);
    case SpecKey::kRound:
      return ParseInto(spec.rounding, key, text, kRoundings);
    case SpecKey::kOverflow:
      return ParseInto(spec.overflow, key, text, kOverflows);
    case SpecKey::kRule:
      return ParseInto(spec.rule, key, text, kRules);
    case SpecKey::kApply:
      return ParseScaleUse(text, spec);
    case SpecKey::kLike:
      return {};  // Comes before all others: they change what it says.
  }
  return {};
}

std::string FormatKey(const QuantizationSpec& spec, SpecKey key) {
  const auto value = [&]() -> std::string {
    switch (key) {
      case SpecKey::kScale:
        return std::string(DTypeName(spec.scale_dtype));
      case SpecKey::kRange:
        return std::string(WordOf(spec.range, kRanges));
      case SpecKey::kZero:
        return std::string(WordOf(spec.zero_point, kZeroPoints));
      case SpecKey::kMethod:
        if (spec.method == RangeMethod::kPercentile) {
          return fmt::format("percentile:{}", spec.percentile);
        }
        return std::string(WordOf(spec.method, kMethods));
      case SpecKey::kRound:
        return std::string(WordOf(spec.rounding, kRoundings));
      case SpecKey::kOverflow:
        return std::string(WordOf(spec.overflow, kOverflows));
      case SpecKey::kRule:
        return std::string(WordOf(spec.rule, kRules));
      case SpecKey::kApply:
        return std::string(WordOf(spec.scale_use, kScaleUses));
      case SpecKey::kLike:
        return ConventionName(*spec.convention);
    }
    return {};
  };
  return fmt::format("{}={}", SpecKeyName(key), value());
}

// ---- The whole -------------------------------------------------------------------------------

struct SpecParts {
  NumberFormat format;
  std::optional<QuantizationGranularity> granularity;
  std::array<std::optional<std::string_view>, internal::kSpecKeys.size()> values;

  [[nodiscard]] std::optional<std::string_view> Value(SpecKey key) const {
    return values[static_cast<std::size_t>(key)];
  }
};

Result<SpecParts> SplitSpec(std::string_view text) {
  if (text.empty()) {
    return RefuseText("a spec is FORMAT[/GRANULARITY][,KEY=VALUE...], as in int8/channel: \"\"");
  }
  SpecParts parts;
  std::vector<std::string_view> pieces = SplitText(text, ',');
  const auto [word, granularity_text] = SplitAtFirst(pieces[0], '/');
  const auto format = ParseNumberFormat(word);
  if (!format) return tl::unexpected(format.error());
  parts.format = *format;
  if (granularity_text) {
    const auto granularity = ParseGranularity(*granularity_text);
    if (!granularity) return tl::unexpected(granularity.error());
    parts.granularity = *granularity;
  }
  pieces.erase(pieces.begin());
  for (const std::string_view piece : pieces) {
    const auto [name, value] = SplitAtFirst(piece, '=');
    std::vector<std::string_view> names;
    std::optional<SpecKey> key;
    for (const SpecKey known : internal::kSpecKeys) {
      names.push_back(SpecKeyName(known));
      if (names.back() == name) key = known;
    }
    if (!key) return RefuseText(internal::UnknownName("key", name, names));
    if (!value || value->empty()) {
      return RefuseText(fmt::format("a key needs a value, as in scale=bfloat16: \"{}\"", piece));
    }
    auto& slot = parts.values[static_cast<std::size_t>(*key)];
    if (slot) return RefuseText(fmt::format("a key may be given once only: \"{}\"", piece));
    slot = *value;
  }
  return parts;
}

Result<QuantizationSpec> ReadKeys(const SpecParts& parts, QuantizationSpec spec) {
  for (const SpecKey key : internal::kSpecKeys) {
    const auto value = parts.Value(key);
    if (!value) continue;
    if (const auto read = ParseKey(key, *value, spec); !read) return tl::unexpected(read.error());
  }
  return spec;
}

// Returns the row's own spec, its name left out.
Result<QuantizationSpec> SpecOfConvention(const Convention& convention) {
  const auto parts = SplitSpec(convention.spec);
  if (!parts) return tl::unexpected(parts.error());
  return ReadKeys(*parts,
                  SpecOf(parts->format, parts->granularity.value_or(QuantizationGranularity{})));
}

bool SameFormat(const QuantizationSpec& a, const QuantizationSpec& b) {
  return a.dtype == b.dtype && a.block_format == b.block_format;
}

// Returns the spec whose keys are what a text leaves out: the convention's, else the format's.
QuantizationSpec DefaultsOf(const QuantizationSpec& spec) {
  if (spec.convention != nullptr) {
    auto row = SpecOfConvention(*spec.convention);
    if (row && SameFormat(*row, spec)) {
      // Whose scales, and where they enter a product, is no part of how codes are found.
      row->granularity = spec.granularity;
      row->scale_use = ScaleUse::kDefault;
      return *row;
    }
  }
  return SpecOf(FormatOf(spec), spec.granularity);
}

// Returns the spec that a text's keys change.
Result<QuantizationSpec> StartOf(const SpecParts& parts) {
  QuantizationSpec spec =
      SpecOf(parts.format, parts.granularity.value_or(QuantizationGranularity{}));
  const auto like = parts.Value(SpecKey::kLike);
  if (!like) return spec;
  const auto convention = FindConvention(*like);
  if (!convention) return tl::unexpected(convention.error());
  const auto row = SpecOfConvention(**convention);
  if (!row) return tl::unexpected(row.error());
  if (!SameFormat(*row, spec)) {
    return RefuseText(fmt::format("{} is a convention for {}, not for \"{}\"",
                                  ConventionName(**convention), NumberFormatName(FormatOf(*row)),
                                  NumberFormatName(parts.format)));
  }
  if (!parts.granularity) spec.granularity = row->granularity;
  spec.convention = *convention;
  spec = DefaultsOf(spec);
  spec.convention = *convention;
  return spec;
}

// Refuses keys that say nothing about the spec, although their value may be the default, and those
// that take from a convention what makes it one.
Result<void> CheckKeys(const SpecParts& parts, const QuantizationSpec& spec) {
  const QuantizationSpec defaults = DefaultsOf(spec);
  for (const SpecKey key : internal::kSpecKeys) {
    if (!parts.Value(key)) continue;
    if (std::string why = internal::WhyKeyIsRefused(spec, key); !why.empty()) {
      return RefuseText(std::move(why));
    }
    const bool is_free = key == SpecKey::kApply || key == SpecKey::kLike;
    if (spec.convention != nullptr && !is_free && !internal::SameUnderKey(spec, defaults, key)) {
      return RefuseText(fmt::format("{} means {}; leave out \"{}\"",
                                    FormatKey(spec, SpecKey::kLike), FormatKey(defaults, key),
                                    FormatKey(spec, key)));
    }
  }
  return {};
}

}  // namespace

std::string FormatSpec(const QuantizationSpec& spec) {
  std::string text{NumberFormatName(FormatOf(spec))};
  text += FormatGranularity(spec.granularity);
  const QuantizationSpec defaults = DefaultsOf(spec);
  for (const SpecKey key : internal::kSpecKeys) {
    if (internal::SameUnderKey(spec, defaults, key)) continue;
    text += ',';
    text += FormatKey(spec, key);
  }
  return text;
}

Result<QuantizationSpec> ParseSpec(std::string_view text) {
  const auto parts = SplitSpec(text);
  if (!parts) return tl::unexpected(parts.error());
  const auto start = StartOf(*parts);
  if (!start) return tl::unexpected(start.error());
  auto spec = ReadKeys(*parts, *start);
  if (!spec) return spec;
  if (const auto valid = ValidateSpec(*spec); !valid) return tl::unexpected(valid.error());
  if (const auto checked = CheckKeys(*parts, *spec); !checked) {
    return tl::unexpected(checked.error());
  }
  return spec;
}

}  // namespace narrowgauge
