#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "narrowgauge/accumulation.h"
#include "src/base/check.h"
#include "src/numerics/sum_format.h"
#include "src/policy/multi_pass.h"
#include "src/policy/words.h"

namespace narrowgauge {
namespace {

using internal::SumFormatOf;

// ---- The words of hardware.inc -----------------------------------------------------------------

SumFormat Nearest(DType dtype) { return SumFormatOf(dtype); }

SumFormat WithRounding(SumRounding rounding) {
  SumFormat format;
  format.rounding = rounding;
  return format;
}

SumFormat Flushing(SumFormat format) {
  format.flushes_subnormals = true;
  return format;
}

const SumFormat kFloat32Chopped = WithRounding(SumRounding::kTowardZero);
const SumFormat kE8M13 = SumFormatOf(SumType{SumKind::kE8M13});

DotModel Aligned(int bits, std::int64_t group, const SumFormat& format) {
  return {.inner = {.order = InnerOrder::kAligned, .format = format, .group = group, .bits = bits}};
}

constexpr IntegerOverflow kWrap = IntegerOverflow::kWrap;
constexpr IntegerOverflow kSaturate16 = IntegerOverflow::kSaturate16;

DotModel Integers(IntegerOverflow overflow) {
  return {.inner = {.order = InnerOrder::kInteger, .overflow = overflow}};
}

DotModel ProductsThenSum(int bits, std::int64_t group) {
  DotModel model = Aligned(bits, group, SumFormat());
  model.inner.alignment = Alignment::kProductsThenSum;
  return model;
}

DotModel EvenAndOddThenSum(int bits, std::int64_t group) {
  DotModel model = Aligned(bits, group, SumFormat());
  model.inner.alignment = Alignment::kEvenAndOddThenSum;
  return model;
}

DotModel Chain() { return {}; }

// Inner sums of blocks, added in float32.
DotModel Blocks(std::int64_t block, DotModel model) {
  model.block = block;
  return model;
}

DotModel ExactBlocks(std::int64_t block) {
  return Blocks(block, {.inner = {.order = InnerOrder::kExact}});
}

DotModel OddFirst() {
  return {.inner = {.format = Flushing(SumFormat()), .odd_before_even = true},
          .flushes_operands = true};
}

DotModel EvenAndOdd(std::int64_t block) {
  return {.inner = {.format = Flushing(SumFormat()), .lanes = 2},
          .block = block,
          .outer = Flushing(SumFormat()),
          .flushes_operands = true};
}

// Trees of the rounded products of `block` k, without subnormals.
DotModel FlushingTrees(std::int64_t block) {
  return {.inner = {.order = InnerOrder::kPairwise,
                    .format = Flushing(SumFormat()),
                    .rounds_products = true},
          .block = block,
          .outer = Flushing(SumFormat()),
          .flushes_operands = true};
}

DotModel PairsToOdd() {
  const SumFormat odd = Flushing(WithRounding(SumRounding::kToOdd));
  return {.inner = {.format = odd, .rounds_products = true},
          .block = 2,
          .outer = odd,
          .flushes_operands = true};
}

// ---- The table ---------------------------------------------------------------------------------

enum class Unit : std::uint8_t {
#define NG_HARDWARE(hardware, name, summary, order) hardware,
#define NG_PATH(hardware, x, w, model, evidence, source)
#include "src/policy/hardware.inc"
#undef NG_HARDWARE
#undef NG_PATH
};

constexpr HardwareModel kUnits[] = {
#define NG_HARDWARE(hardware, name, summary, order) {name, summary, PassOrder::order},
#define NG_PATH(hardware, x, w, model, evidence, source)
#include "src/policy/hardware.inc"
#undef NG_HARDWARE
#undef NG_PATH
};

using Paths = std::vector<HardwarePath>;

const std::vector<Paths>& AllPaths() {
  static const std::vector<Paths> paths = [] {
    std::vector<Paths> of_unit(std::size(kUnits));
    const auto add = [&](Unit unit, HardwarePath path) {
      of_unit[static_cast<std::size_t>(unit)].push_back(std::move(path));
    };
#define NG_HARDWARE(hardware, name, summary, order)
#define NG_PATH(hardware, x, w, model, evidence, source) \
  add(Unit::hardware, {DType::x, DType::w, model, HardwareEvidence::evidence, source});
#include "src/policy/hardware.inc"
#undef NG_HARDWARE
#undef NG_PATH
    return of_unit;
  }();
  return paths;
}

std::string PairName(const HardwarePath& path) {
  if (path.x == path.w) return std::string(DTypeName(path.x));
  return fmt::format("{} with {}", DTypeName(path.x), DTypeName(path.w));
}

// What aligned groups are summed in: hardware cuts all but float16.
SumFormat AlignedFormat(const SumType& type) {
  SumFormat format = SumFormatOf(type);
  if (type == SumType()) format.rounding = SumRounding::kTowardZero;
  return format;
}

InnerOrder InnerOrderOf(SumOrder order) {
  switch (order) {
    case SumOrder::kSequential:
      return InnerOrder::kChain;
    case SumOrder::kPairwise:
      return InnerOrder::kPairwise;
    case SumOrder::kAligned:
      return InnerOrder::kAligned;
  }
  NG_CHECK(false);
}

// What an accumulation does in one pass that no unit of hardware makes.
DotModel WordedModel(const AccumulationSpec& accumulation) {
  if (accumulation.type.kind == SumKind::kInt32) return Integers(accumulation.overflow);
  const bool is_aligned = accumulation.order == SumOrder::kAligned;
  const SumType inner = accumulation.inner.value_or(accumulation.type);
  DotModel model = {.inner = {.order = InnerOrderOf(accumulation.order),
                              .format = is_aligned ? AlignedFormat(inner) : SumFormatOf(inner),
                              .rounds_products = accumulation.separate,
                              .group = accumulation.group,
                              .bits = static_cast<int>(accumulation.bits)}};
  if (accumulation.promote != 0) {
    model.block = accumulation.promote;
  } else if (accumulation.block != 0) {
    model.block = accumulation.block;
    model.outer = SumFormatOf(accumulation.type);
    model.outer_is_pairwise = accumulation.block_order == SumOrder::kPairwise;
    model.rounds_block_sums = accumulation.rounds_block_sums;
  }
  model.slices = accumulation.slices;
  const SumType whole = accumulation.promote != 0 ? SumType() : accumulation.type;
  model.partial = SumFormatOf(accumulation.partial.value_or(whole));
  model.reduce = SumFormatOf(accumulation.reduce.value_or(whole));
  return model;
}

}  // namespace

std::span<const HardwareModel> AllHardware() { return kUnits; }

Result<const HardwareModel*> FindHardware(std::string_view name) {
  std::vector<std::string_view> names;
  for (const HardwareModel& unit : kUnits) {
    if (unit.name == name) return &unit;
    names.push_back(unit.name);
  }
  return internal::RefuseText(internal::UnknownName("model of hardware", name, names));
}

std::span<const HardwarePath> PathsOf(const HardwareModel& hardware) {
  return AllPaths()[static_cast<std::size_t>(&hardware - kUnits)];
}

std::string_view HardwareEvidenceWords(HardwareEvidence evidence) {
  switch (evidence) {
    case HardwareEvidence::kCaptured:
      return "checked against captured results";
    case HardwareEvidence::kManual:
      return "after the vendor's manual";
    case HardwareEvidence::kPaper:
      return "after a paper only";
  }
  NG_CHECK(false);
}

DType OwnOutput(const AccumulationSpec& accumulation) {
  const bool is_own = accumulation.hardware == nullptr && accumulation.promote == 0 &&
                      accumulation.passes == 1 && accumulation.type.kind == SumKind::kFloat;
  return is_own ? accumulation.type.dtype : DType::kFloat32;
}

const HardwarePath* PathFor(const AccumulationSpec& accumulation, DType x, DType w) {
  if (accumulation.hardware == nullptr) return nullptr;
  if (accumulation.passes != 1) x = w = accumulation.parts;
  const auto paths = PathsOf(*accumulation.hardware);
  const auto found = std::ranges::find_if(
      paths, [&](const HardwarePath& path) { return path.x == x && path.w == w; });
  return found == paths.end() ? nullptr : &*found;
}

Result<DotModel> ModelOf(const AccumulationSpec& accumulation, DType x, DType w) {
  DotModel model;
  if (accumulation.hardware == nullptr) {
    model = WordedModel(accumulation);
  } else if (const HardwarePath* const path = PathFor(accumulation, x, w)) {
    model = path->model;
  } else {
    const auto paths = PathsOf(*accumulation.hardware);
    std::vector<std::string> names;
    std::ranges::transform(paths, std::back_inserter(names), PairName);
    const bool has_parts = accumulation.passes != 1;
    return internal::RefuseText(
        fmt::format("{} does not multiply these types; expected a and w to be one of {}: {}",
                    accumulation.hardware->name, fmt::join(names, ", "),
                    has_parts ? fmt::format("parts={}", DTypeName(accumulation.parts))
                              : fmt::format("a={} w={}", DTypeName(x), DTypeName(w))));
  }
  if (accumulation.passes == 1) return model;
  if (x != DType::kFloat32 || w != DType::kFloat32) {
    return internal::RefuseText(fmt::format("passes={} splits factors of float32; a={} w={}",
                                            accumulation.passes, DTypeName(x), DTypeName(w)));
  }
  const auto multi_pass = internal::MultiPassOf(accumulation);
  if (!multi_pass) return tl::unexpected(multi_pass.error());
  model.multi_pass = *multi_pass;
  return model;
}

}  // namespace narrowgauge
