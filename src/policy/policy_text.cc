#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "narrowgauge/precision_policy.h"
#include "src/policy/accumulation_text.h"
#include "src/policy/words.h"

namespace narrowgauge {
namespace {

using internal::RefuseText;
using internal::Word;

enum class Part : std::uint8_t { kWeights, kActivations, kAccumulation, kOutput };
constexpr Word<Part> kParts[] = {{"w", Part::kWeights},
                                 {"a", Part::kActivations},
                                 {"acc", Part::kAccumulation},
                                 {"out", Part::kOutput}};
using PartTexts = std::array<std::optional<std::string_view>, std::size(kParts)>;

constexpr std::string_view kWhitespace = " \t\n\r\f\v";

Result<void> AddPart(std::string_view text, PartTexts& parts) {
  const auto [name, value] = internal::SplitAtFirst(text, '=');
  if (!value && ParseSpec(text)) {
    return RefuseText(fmt::format("a part of a policy needs its name; write w={} or a={}: \"{}\"",
                                  text, text, text));
  }
  const auto part = internal::ParseWord("part of a policy", name, kParts);
  if (!part) return tl::unexpected(part.error());
  if (!value || value->empty()) {
    return RefuseText(
        fmt::format("a part of a policy needs a value, as in w=int8/channel: \"{}\"", text));
  }
  auto& slot = parts[static_cast<std::size_t>(*part)];
  if (slot) {
    return RefuseText(fmt::format("a part of a policy may be given once only: \"{}\"", text));
  }
  slot = *value;
  return {};
}

Result<PartTexts> SplitPolicy(std::string_view text) {
  PartTexts parts;
  bool is_empty = true;
  for (std::size_t start = 0;;) {
    start = text.find_first_not_of(kWhitespace, start);
    if (start == std::string_view::npos) break;
    const std::size_t end = text.find_first_of(kWhitespace, start);
    if (const auto added = AddPart(text.substr(start, end - start), parts); !added) {
      return tl::unexpected(added.error());
    }
    is_empty = false;
    if (end == std::string_view::npos) break;
    start = end;
  }
  if (!is_empty) return parts;
  return RefuseText(fmt::format(
      "a policy has at least one part of w=, a=, acc= and out=, as in w=int8/channel: \"{}\"",
      text));
}

Result<DType> ParseOutput(std::string_view text) {
  const auto dtype = ParseDType(text);
  if (!dtype) return dtype;
  const DTypeInfo& info = GetDTypeInfo(*dtype);
  if (info.kind == DTypeKind::kFloat && info.has_zero) return *dtype;
  return RefuseText(
      fmt::format("a product is returned as a float that has a sign and a zero: \"{}\"", text));
}

// Reads one part with `parse` into `field`, if the text has it; messages begin with its name.
template <typename T, typename Parse>
Result<void> ReadPart(const PartTexts& parts, Part part, Parse parse, T& field) {
  const auto text = parts[static_cast<std::size_t>(part)];
  if (!text) return {};
  auto value = parse(*text);
  if (!value) {
    Error error = value.error();
    error.message = fmt::format("{}=: {}", internal::WordOf(part, kParts), error.message);
    return tl::unexpected(std::move(error));
  }
  field = *value;
  return {};
}

}  // namespace

std::string FormatPolicy(const PrecisionPolicy& policy) {
  return fmt::format("w={} a={} acc={} out={}", FormatSpec(policy.weights),
                     FormatSpec(policy.activations),
                     internal::FormatAccumulation(policy.accumulation), DTypeName(policy.output));
}

std::string FormatPolicyBriefly(const PrecisionPolicy& policy) {
  const PrecisionPolicy defaults;
  std::vector<std::string> parts;
  const auto say = [&](std::string_view part, std::string_view value) {
    parts.push_back(fmt::format("{}={}", part, value));
  };
  if (policy.weights != defaults.weights) say("w", FormatSpec(policy.weights));
  if (policy.activations != defaults.activations) say("a", FormatSpec(policy.activations));
  if (policy.accumulation != defaults.accumulation) {
    say("acc", internal::FormatAccumulation(policy.accumulation));
  }
  if (policy.output != OwnOutput(policy.accumulation)) say("out", DTypeName(policy.output));
  if (parts.empty()) say("w", FormatSpec(policy.weights));  // A policy has at least one part.
  return fmt::format("{}", fmt::join(parts, " "));
}

Result<PrecisionPolicy> ParsePolicy(std::string_view text) {
  const auto parts = SplitPolicy(text);
  if (!parts) return tl::unexpected(parts.error());
  PrecisionPolicy policy;
  if (const auto read = ReadPart(*parts, Part::kWeights, ParseSpec, policy.weights); !read) {
    return tl::unexpected(read.error());
  }
  if (const auto read = ReadPart(*parts, Part::kActivations, ParseSpec, policy.activations);
      !read) {
    return tl::unexpected(read.error());
  }
  if (const auto read =
          ReadPart(*parts, Part::kAccumulation, internal::ParseAccumulation, policy.accumulation);
      !read) {
    return tl::unexpected(read.error());
  }
  policy.output = OwnOutput(policy.accumulation);
  if (const auto read = ReadPart(*parts, Part::kOutput, ParseOutput, policy.output); !read) {
    return tl::unexpected(read.error());
  }
  return policy;
}

}  // namespace narrowgauge
