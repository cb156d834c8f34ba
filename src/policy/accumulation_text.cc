#include "src/policy/accumulation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "src/base/check.h"
#include "src/policy/multi_pass.h"
#include "src/policy/words.h"

namespace narrowgauge::internal {
namespace {

constexpr std::string_view kInt32 = "int32";
constexpr std::string_view kE8M13 = "e8m13";

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
  kPasses,
  kParts,
  kSplit
};
constexpr Word<Key> kKeys[] = {
    {"fma", Key::kFma},         {"inner", Key::kInner},       {"handoff", Key::kHandoff},
    {"partial", Key::kPartial}, {"reduce", Key::kReduce},     {"bits", Key::kBits},
    {"promote", Key::kPromote}, {"overflow", Key::kOverflow}, {"passes", Key::kPasses},
    {"parts", Key::kParts},     {"split", Key::kSplit}};

// Each with the value that it gives its member of AccumulationSpec.
constexpr Word<bool> kFmaWords[] = {{"fused", false}, {"separate", true}};
constexpr Word<bool> kHandoffWords[] = {{"keep", false}, {"round", true}};

constexpr Word<bool> kSplitWords[] = {{"cut", false}, {"nearest", true}};

constexpr Word<IntegerOverflow> kOverflowWords[] = {{"exact", IntegerOverflow::kExact},
                                                    {"wrap", IntegerOverflow::kWrap},
                                                    {"saturate16", IntegerOverflow::kSaturate16}};
constexpr Word<int> kPassesWords[] = {{"3", 3}, {"6", 6}, {"9", 9}};
constexpr Word<DType> kPartsWords[] = {{"bfloat16", DType::kBFloat16}, {"tf32", DType::kTf32}};

std::vector<std::string_view> Vendors() {
  std::vector<std::string_view> vendors;
  for (const HardwareModel& hardware : AllHardware()) {
    const std::string_view vendor = SplitAtFirst(hardware.name, '/').first;
    if (std::ranges::find(vendors, vendor) == vendors.end()) vendors.push_back(vendor);
  }
  return vendors;
}

std::string_view SumTypeName(const SumType& type) {
  switch (type.kind) {
    case SumKind::kFloat:
      return DTypeName(type.dtype);
    case SumKind::kE8M13:
      return kE8M13;
    case SumKind::kInt32:
      return kInt32;
  }
  NG_CHECK(false);
}

// `others` are words that the message names beside the types.
Result<SumType> ParseSumType(std::string_view what, std::string_view text,
                             std::span<const std::string_view> others = {}) {
  if (text == kInt32) return SumType{SumKind::kInt32};
  if (text == kE8M13) return SumType{SumKind::kE8M13};
  const auto dtype = ParseDType(text);
  std::vector<std::string_view> names;
  for (const DType candidate : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(candidate);
    if (info.kind != DTypeKind::kFloat || !info.has_zero) continue;
    if (dtype && *dtype == candidate) return SumType{SumKind::kFloat, candidate};
    names.push_back(info.name);
  }
  names.insert(names.end(), {kE8M13, kInt32});
  names.insert(names.end(), others.begin(), others.end());
  return RefuseText(UnknownName(what, text, names));
}

// Everything that the grammar can say.
struct Accumulation {
  SumType type;
  const HardwareModel* hardware = nullptr;  // Instead of type and orders.
  struct SizedOrder {
    Order order;
    std::int64_t size;  // 0 without one.
  };
  std::vector<SizedOrder> orders;
  std::array<std::optional<std::string_view>, std::size(kKeys)> values;

  [[nodiscard]] std::optional<std::int64_t> Size(Order order) const {
    const auto found = std::ranges::find(orders, order, &SizedOrder::order);
    if (found == orders.end()) return {};
    return found->size;
  }
  [[nodiscard]] bool IsInteger() const { return type.kind == SumKind::kInt32; }
  [[nodiscard]] std::optional<std::string_view> Value(Key key) const {
    return values[static_cast<std::size_t>(key)];
  }
};

Result<void> ParseOrder(std::string_view text, Accumulation& accumulation) {
  const auto [word, size_text] = SplitAtFirst(text, ':');
  const auto order = ParseWord("order of accumulation", word, kOrders);
  if (!order) return tl::unexpected(order.error());
  const bool takes_size = *order != Order::kSequential && *order != Order::kPairwise;
  if (takes_size && accumulation.Size(*order)) {
    return RefuseText(fmt::format("an order may be given once only: \"{}\"", text));
  }
  std::int64_t size = 0;
  if (!takes_size && size_text) {
    return RefuseText(fmt::format("{} takes no size: \"{}\"", word, text));
  }
  if (takes_size) {
    if (!size_text) {
      return RefuseText(fmt::format("{} needs a size, as in {}:128: \"{}\"", word, word, text));
    }
    const auto count = ParseCount(fmt::format("the size of {}", word), *size_text);
    if (!count) return tl::unexpected(count.error());
    size = *count;
    if (*order == Order::kSplitK && size == 1) {
      return RefuseText(fmt::format("one slice is no split; leave it out: \"{}\"", text));
    }
  }
  accumulation.orders.push_back({*order, size});
  return {};
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
    case Key::kPromote:
      return accumulation.Size(Order::kAligned) ? "" : "aligned:G";
    case Key::kOverflow:
      return accumulation.IsInteger() ? "" : kInt32;
    case Key::kFma:
      return accumulation.IsInteger() || accumulation.hardware != nullptr
                 ? "sums of floats in words"
                 : "";
    case Key::kPasses:
      return accumulation.IsInteger() ? "floats" : "";
    case Key::kParts:
    case Key::kSplit:
      return accumulation.Value(Key::kPasses) ? "" : "passes=N";
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
  return {};
}

Result<void> CheckKeys(const Accumulation& accumulation) {
  for (const Word<Key>& key : kKeys) {
    const auto value = accumulation.Value(key.value);
    const std::string_view missing = Missing(key.value, accumulation);
    if (!value || missing.empty()) continue;
    return RefuseText(fmt::format("{0}= is for {1} only: \"{0}={2}\"", key.word, missing, *value));
  }
  return {};
}

bool IsVendor(std::string_view word) {
  const auto vendors = Vendors();
  return std::ranges::find(vendors, word) != vendors.end();
}

Result<Accumulation> ParseGrammar(std::string_view text) {
  std::vector<std::string_view> pieces = SplitText(text, ',');
  auto [type_text, orders_text] = SplitAtFirst(pieces[0], '/');
  Accumulation accumulation;
  if (IsVendor(type_text)) {
    const auto hardware = FindHardware(pieces[0]);
    if (!hardware) return tl::unexpected(hardware.error());
    accumulation.hardware = *hardware;
    orders_text.reset();
  } else {
    const auto type = ParseSumType("type to accumulate in", type_text, Vendors());
    if (!type) return tl::unexpected(type.error());
    accumulation.type = *type;
  }
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
  if (const auto fit = CheckKeys(accumulation); !fit) return tl::unexpected(fit.error());
  return accumulation;
}

SumOrder SumOrderOf(Order order) {
  return order == Order::kPairwise  ? SumOrder::kPairwise
         : order == Order::kAligned ? SumOrder::kAligned
                                    : SumOrder::kSequential;
}

// Orders nest, the outermost first: split-k:S, then how blocks are added, block:B, then how
// products are.
Result<void> ReadOrders(const Accumulation& accumulation, AccumulationSpec& spec) {
  auto rest = std::span(accumulation.orders);
  const auto take_if = [&](auto accepts) -> const Accumulation::SizedOrder* {
    if (rest.empty() || !accepts(rest[0].order)) return nullptr;
    const Accumulation::SizedOrder* const taken = &rest[0];
    rest = rest.subspan(1);
    return taken;
  };
  const auto is = [](Order wanted) { return [wanted](Order order) { return order == wanted; }; };
  const auto adds = [](Order order) {
    return order == Order::kSequential || order == Order::kPairwise;
  };
  if (const auto* const split = take_if(is(Order::kSplitK))) spec.slices = split->size;
  const auto* const first = take_if(adds);
  if (const auto* const block = take_if(is(Order::kBlock))) {
    spec.block = block->size;
    if (first != nullptr) spec.block_order = SumOrderOf(first->order);
    if (const auto* const inner = take_if(adds)) spec.order = SumOrderOf(inner->order);
  } else if (first != nullptr) {
    spec.order = SumOrderOf(first->order);
  }
  const bool may_align = first == nullptr || spec.block != 0;
  if (may_align && spec.order == SumOrder::kSequential) {
    if (const auto* const aligned = take_if(is(Order::kAligned))) {
      spec.order = SumOrder::kAligned;
      spec.group = aligned->size;
    }
  }
  if (rest.empty()) return {};
  return RefuseText(
      fmt::format("orders nest, the outermost first: split-k:S, sequential or pairwise over "
                  "blocks, block:B, then "
                  "sequential, pairwise or aligned:G over products; {} does not fit there",
                  WordOf(rest[0].order, kOrders)));
}

// Reads a type that is the accumulation's own if nothing is said.
Result<void> ReadType(const Accumulation& accumulation, Key key, const SumType& own,
                      std::optional<SumType>& type) {
  const auto value = accumulation.Value(key);
  if (!value) return {};
  const std::string what = fmt::format("value of {}=", WordOf(key, kKeys));
  const auto read = ParseSumType(what, *value);
  if (!read) return tl::unexpected(read.error());
  if (read->kind == SumKind::kInt32) {
    return RefuseText(fmt::format("{} is a float where floats are summed: \"{}\"", what, *value));
  }
  if (*read != own) type = *read;
  return {};
}

template <typename T, std::size_t N>
Result<void> ReadWord(const Accumulation& accumulation, Key key, const Word<T> (&words)[N],
                      T& word) {
  const auto value = accumulation.Value(key);
  if (!value) return {};
  const auto read = ParseWord(fmt::format("value of {}=", WordOf(key, kKeys)), *value, words);
  if (!read) return tl::unexpected(read.error());
  word = *read;
  return {};
}

Result<void> ReadCount(const Accumulation& accumulation, Key key, std::int64_t& count) {
  const auto value = accumulation.Value(key);
  if (!value) return {};
  const auto read = ParseCount(fmt::format("{}=", WordOf(key, kKeys)), *value);
  if (!read) return tl::unexpected(read.error());
  count = *read;
  return {};
}

Result<void> CheckAligned(const AccumulationSpec& spec) {
  const SumType summed = spec.inner.value_or(spec.type);
  if (spec.order != SumOrder::kAligned) {
    if (summed.kind == SumKind::kE8M13) {
      return RefuseText(
          "e8m13 is what aligned groups are summed in, as in e8m13/aligned:32,bits=13");
    }
    return {};
  }
  if (spec.bits == 0) {
    return RefuseText(
        "aligned:G needs bits=F, the bits kept below the largest exponent of a group");
  }
  if (spec.bits > kMostAlignedBits || spec.group > kLargestAlignedGroup) {
    return RefuseText(
        fmt::format("aligned groups have {} products and {} bits at most: aligned:{},bits={}",
                    kLargestAlignedGroup, kMostAlignedBits, spec.group, spec.bits));
  }
  if (spec.separate) {
    return RefuseText("fma=separate contradicts aligned:G, which adds exact products");
  }
  if (summed.kind == SumKind::kFloat && summed.dtype == DType::kFloat64) {
    return RefuseText("aligned groups are summed in a type of at most 24 bits: float64");
  }
  if (spec.promote != 0 && spec.block != 0) {
    return RefuseText("promote=N contradicts block:B; both begin sums anew");
  }
  return {};
}

// The parts that a compiler makes of factors.
Result<void> CheckPasses(const AccumulationSpec& spec) {
  if (spec.passes == 1) return {};
  if (const auto passes = MultiPassOf(spec); !passes) return tl::unexpected(passes.error());
  return {};
}

Result<void> CheckInteger(const Accumulation& accumulation) {
  if (!accumulation.IsInteger() || accumulation.orders.empty()) return {};
  return RefuseText("sums of integers have no order; leave it out");
}

Result<AccumulationSpec> ReadSpec(const Accumulation& accumulation, std::string_view text) {
  AccumulationSpec spec = {.type = accumulation.type, .hardware = accumulation.hardware};
  const auto word = [&](Key key, const auto& words, auto& value) {
    return
        [&accumulation, &words, &value, key] { return ReadWord(accumulation, key, words, value); };
  };
  const auto type = [&](Key key, std::optional<SumType>& value) {
    return [&, key] { return ReadType(accumulation, key, spec.type, value); };
  };
  const auto count = [&](Key key, std::int64_t& value) {
    return [&, key] { return ReadCount(accumulation, key, value); };
  };
  const auto read = CheckInteger(accumulation)
                        .and_then([&] { return ReadOrders(accumulation, spec); })
                        .and_then(word(Key::kFma, kFmaWords, spec.separate))
                        .and_then(word(Key::kHandoff, kHandoffWords, spec.rounds_block_sums))
                        .and_then(type(Key::kInner, spec.inner))
                        .and_then(type(Key::kPartial, spec.partial))
                        .and_then(type(Key::kReduce, spec.reduce))
                        .and_then(count(Key::kBits, spec.bits))
                        .and_then(count(Key::kPromote, spec.promote))
                        .and_then(word(Key::kOverflow, kOverflowWords, spec.overflow))
                        .and_then(word(Key::kPasses, kPassesWords, spec.passes))
                        .and_then(word(Key::kParts, kPartsWords, spec.parts))
                        .and_then(word(Key::kSplit, kSplitWords, spec.splits_to_nearest))
                        .and_then([&] { return CheckAligned(spec); })
                        .and_then([&] { return CheckPasses(spec); });
  if (!read) {
    return RefuseText(fmt::format("{}: \"{}\"", read.error().message, text));
  }
  return spec;
}

std::string OrdersText(const AccumulationSpec& spec) {
  std::vector<std::string> orders;
  if (spec.slices != 1) orders.push_back(fmt::format("split-k:{}", spec.slices));
  if (spec.block_order == SumOrder::kPairwise) orders.emplace_back("pairwise");
  if (spec.block != 0) orders.push_back(fmt::format("block:{}", spec.block));
  if (spec.order == SumOrder::kPairwise) orders.emplace_back("pairwise");
  if (spec.order == SumOrder::kAligned) orders.push_back(fmt::format("aligned:{}", spec.group));
  return orders.empty() ? "" : fmt::format("/{}", fmt::join(orders, "+"));
}

}  // namespace

Result<AccumulationSpec> ParseAccumulation(std::string_view text) {
  const auto accumulation = ParseGrammar(text);
  if (!accumulation) return tl::unexpected(accumulation.error());
  return ReadSpec(*accumulation, text);
}

std::string FormatAccumulation(const AccumulationSpec& spec) {
  std::string text = spec.hardware != nullptr
                         ? std::string(spec.hardware->name)
                         : fmt::format("{}{}", SumTypeName(spec.type), OrdersText(spec));
  const auto say = [&](Key key, auto value) {
    text += fmt::format(",{}={}", WordOf(key, kKeys), value);
  };
  if (spec.separate) say(Key::kFma, WordOf(true, kFmaWords));
  if (spec.inner) say(Key::kInner, SumTypeName(*spec.inner));
  if (spec.rounds_block_sums) say(Key::kHandoff, WordOf(true, kHandoffWords));
  if (spec.partial) say(Key::kPartial, SumTypeName(*spec.partial));
  if (spec.reduce) say(Key::kReduce, SumTypeName(*spec.reduce));
  if (spec.bits != 0) say(Key::kBits, spec.bits);
  if (spec.promote != 0) say(Key::kPromote, spec.promote);
  if (spec.overflow != IntegerOverflow::kExact) {
    say(Key::kOverflow, WordOf(spec.overflow, kOverflowWords));
  }
  if (spec.passes != 1) say(Key::kPasses, spec.passes);
  if (spec.parts != DType::kBFloat16) say(Key::kParts, WordOf(spec.parts, kPartsWords));
  if (spec.splits_to_nearest) say(Key::kSplit, WordOf(true, kSplitWords));
  return text;
}

}  // namespace narrowgauge::internal
