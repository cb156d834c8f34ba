#include "src/policy/accumulation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "src/policy/words.h"

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kSupported =
    "float32 and bfloat16, alone or with /block:B,inner=float32";

// Models of hardware are named VENDOR/MODEL.
constexpr std::string_view kVendors[] = {"nvidia", "amd", "google", "intel", "arm"};

constexpr std::string_view kInteger = "int32";

enum class Order : std::uint8_t { kSequential, kPairwise, kBlock, kSplitK, kAligned };
constexpr Word<Order> kOrders[] = {{"sequential", Order::kSequential},
                                   {"pairwise", Order::kPairwise},
                                   {"block", Order::kBlock},
                                   {"split-k", Order::kSplitK},
                                   {"aligned", Order::kAligned}};

enum class Key : std::uint8_t {
  kFma,
  kInner,
  kHandoff,
  kPartial,
  kReduce,
  kBits,
  kPromote,
  kOverflow,
  kPasses
};
constexpr Word<Key> kKeys[] = {
    {"fma", Key::kFma},         {"inner", Key::kInner},       {"handoff", Key::kHandoff},
    {"partial", Key::kPartial}, {"reduce", Key::kReduce},     {"bits", Key::kBits},
    {"promote", Key::kPromote}, {"overflow", Key::kOverflow}, {"passes", Key::kPasses}};

constexpr std::string_view kFmaWords[] = {"fused", "separate"};
constexpr std::string_view kHandoffWords[] = {"keep", "round"};
constexpr std::string_view kOverflowWords[] = {"exact", "wrap", "saturate16"};
constexpr std::string_view kPassesWords[] = {"3", "6", "9"};

// A type that can be summed in; nothing stands for int32.
using SumType = std::optional<DType>;

// `others` are words that the message names beside the types.
Result<SumType> ParseSumType(std::string_view what, std::string_view text,
                             std::span<const std::string_view> others = {}) {
  if (text == kInteger) return SumType();
  const auto dtype = ParseDType(text);
  std::vector<std::string_view> names;
  for (const DType candidate : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(candidate);
    if (info.kind != DTypeKind::kFloat || !info.has_zero) continue;
    if (dtype && *dtype == candidate) return SumType(*dtype);
    names.push_back(info.name);
  }
  names.push_back(kInteger);
  names.insert(names.end(), others.begin(), others.end());
  return RefuseText(UnknownName(what, text, names));
}

// Everything that the grammar can say.
struct Accumulation {
  SumType type;
  std::array<std::optional<std::int64_t>, std::size(kOrders)> orders;  // Sizes, 0 without one.
  std::array<std::optional<std::string_view>, std::size(kKeys)> values;
  SumType inner;

  [[nodiscard]] std::optional<std::int64_t> Size(Order order) const {
    return orders[static_cast<std::size_t>(order)];
  }
  [[nodiscard]] std::optional<std::string_view> Value(Key key) const {
    return values[static_cast<std::size_t>(key)];
  }
};

Result<void> ParseOrder(std::string_view text, Accumulation& accumulation) {
  const auto [word, size_text] = SplitAtFirst(text, ':');
  const auto order = ParseWord("order of accumulation", word, kOrders);
  if (!order) return tl::unexpected(order.error());
  auto& slot = accumulation.orders[static_cast<std::size_t>(*order)];
  if (slot) return RefuseText(fmt::format("an order may be given once only: \"{}\"", text));
  slot = 0;
  if (*order == Order::kSequential || *order == Order::kPairwise) {
    if (!size_text) return {};
    return RefuseText(fmt::format("{} takes no size: \"{}\"", word, text));
  }
  if (!size_text) {
    return RefuseText(fmt::format("{} needs a size, as in {}:128: \"{}\"", word, word, text));
  }
  const auto size = ParseCount(fmt::format("the size of {}", word), *size_text);
  if (!size) return tl::unexpected(size.error());
  slot = *size;
  return {};
}

Result<void> ExpectWord(std::string_view key, std::string_view value,
                        std::span<const std::string_view> words) {
  if (std::find(words.begin(), words.end(), value) != words.end()) return {};
  return RefuseText(UnknownName(fmt::format("value of {}=", key), value, words));
}

Result<void> ExpectCount(std::string_view key, std::string_view value) {
  const auto count = ParseCount(fmt::format("{}=", key), value);
  return count ? Result<void>() : tl::unexpected(count.error());
}

// Returns what a key belongs to if the accumulation does not have it, else "".
std::string_view Missing(Key key, const Accumulation& accumulation) {
  switch (key) {
    case Key::kInner:
    case Key::kHandoff:
      return accumulation.Size(Order::kBlock) ? "" : "block:B";
    case Key::kPartial:
    case Key::kReduce:
      return accumulation.Size(Order::kSplitK) ? "" : "split-k:S";
    case Key::kBits:
      return accumulation.Size(Order::kAligned) ? "" : "aligned:G";
    case Key::kOverflow:
      return accumulation.type ? kInteger : "";
    case Key::kFma:
    case Key::kPromote:
    case Key::kPasses:
      return accumulation.type ? "" : "floats";
  }
  return {};
}

Result<void> ParseKey(std::string_view text, Accumulation& accumulation) {
  const auto [name, value] = SplitAtFirst(text, '=');
  const auto key = ParseWord("key of an accumulation", name, kKeys);
  if (!key) return tl::unexpected(key.error());
  if (!value || value->empty()) {
    return RefuseText(fmt::format("a key needs a value, as in inner=float32: \"{}\"", text));
  }
  auto& slot = accumulation.values[static_cast<std::size_t>(*key)];
  if (slot) return RefuseText(fmt::format("a key may be given once only: \"{}\"", text));
  slot = *value;
  if (const std::string_view missing = Missing(*key, accumulation); !missing.empty()) {
    return RefuseText(fmt::format("{}= is for {} only: \"{}\"", name, missing, text));
  }
  switch (*key) {
    case Key::kFma:
      return ExpectWord(name, *value, kFmaWords);
    case Key::kHandoff:
      return ExpectWord(name, *value, kHandoffWords);
    case Key::kOverflow:
      return ExpectWord(name, *value, kOverflowWords);
    case Key::kPasses:
      return ExpectWord(name, *value, kPassesWords);
    case Key::kBits:
    case Key::kPromote:
      return ExpectCount(name, *value);
    case Key::kInner:
    case Key::kPartial:
    case Key::kReduce: {
      const auto type = ParseSumType(fmt::format("value of {}=", name), *value);
      if (!type) return tl::unexpected(type.error());
      if (*key == Key::kInner) accumulation.inner = *type;
      return {};
    }
  }
  return {};
}

Result<Accumulation> ParseGrammar(std::string_view text) {
  std::vector<std::string_view> pieces = SplitText(text, ',');
  const auto [type_text, orders_text] = SplitAtFirst(pieces[0], '/');
  const auto type = ParseSumType("type to accumulate in", type_text, kVendors);
  if (!type) return tl::unexpected(type.error());
  Accumulation accumulation;
  accumulation.type = *type;
  accumulation.inner = *type;
  if (orders_text) {
    for (const std::string_view order : SplitText(*orders_text, '+')) {
      if (const auto read = ParseOrder(order, accumulation); !read) {
        return tl::unexpected(read.error());
      }
    }
  }
  pieces.erase(pieces.begin());
  for (const std::string_view piece : pieces) {
    if (const auto read = ParseKey(piece, accumulation); !read) {
      return tl::unexpected(read.error());
    }
  }
  return accumulation;
}

bool NamesVendor(std::string_view text) {
  const std::string_view vendor = SplitAtFirst(text, '/').first;
  return std::find(std::begin(kVendors), std::end(kVendors), vendor) != std::end(kVendors);
}

// Checks the form of VENDOR/MODEL.
Result<void> ParseHardware(std::string_view text) {
  constexpr std::string_view kModelLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
  const std::string_view model = SplitAtFirst(text, '/').second.value_or("");
  if (!model.empty() && model.find_first_not_of(kModelLetters) == std::string_view::npos) return {};
  return RefuseText(
      fmt::format("a model of hardware is VENDOR/MODEL in small letters and nothing else, as in "
                  "nvidia/h100: \"{}\"",
                  text));
}

// Returns the spec of an accumulation if it is one that AccumulationSpec can hold.
std::optional<AccumulationSpec> Supported(const Accumulation& accumulation) {
  if (accumulation.type != DType::kFloat32 && accumulation.type != DType::kBFloat16) return {};
  for (const Order order : {Order::kPairwise, Order::kSplitK, Order::kAligned}) {
    if (accumulation.Size(order)) return {};
  }
  for (const Key key :
       {Key::kPartial, Key::kReduce, Key::kBits, Key::kPromote, Key::kOverflow, Key::kPasses}) {
    if (accumulation.Value(key)) return {};
  }
  if (accumulation.Value(Key::kFma).value_or("fused") != "fused") return {};
  AccumulationSpec spec = {.dtype = *accumulation.type};
  const auto block = accumulation.Size(Order::kBlock);
  if (!block) return spec;
  if (accumulation.Size(Order::kSequential) || accumulation.inner != DType::kFloat32 ||
      accumulation.Value(Key::kHandoff).value_or("keep") != "keep") {
    return {};
  }
  spec.float32_block = *block;
  return spec;
}

}  // namespace

Result<AccumulationSpec> ParseAccumulation(std::string_view text) {
  std::optional<AccumulationSpec> spec;
  if (NamesVendor(text)) {
    if (const auto read = ParseHardware(text); !read) return tl::unexpected(read.error());
  } else {
    const auto accumulation = ParseGrammar(text);
    if (!accumulation) return tl::unexpected(accumulation.error());
    spec = Supported(*accumulation);
  }
  if (spec) return *spec;
  return RefuseText(fmt::format("this accumulation is not supported yet; supported are {}: \"{}\"",
                                kSupported, text));
}

std::string FormatAccumulation(const AccumulationSpec& accumulation) {
  std::string text{DTypeName(accumulation.dtype)};
  if (accumulation.float32_block != 0) {
    text += fmt::format("/block:{},inner=float32", accumulation.float32_block);
  }
  return text;
}

}  // namespace narrowgauge::internal
