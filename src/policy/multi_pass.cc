#include "src/policy/multi_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "src/policy/words.h"

namespace narrowgauge::internal {
namespace {

constexpr int kHigh = 0;
constexpr int kMid = 1;
constexpr int kLow = 2;

struct Row {
  PassOrder order;
  DType parts;
  int part_count;
  std::vector<Pass> passes;
};

const std::vector<Row>& AllRows() {
  static const std::vector<Row> rows = {
#define NG_MULTI_PASS(order, parts, count, ...) \
  {PassOrder::order, DType::parts, count, {__VA_ARGS__}},
#include "src/policy/multi_pass.inc"
#undef NG_MULTI_PASS
  };
  return rows;
}

}  // namespace

Result<MultiPass> MultiPassOf(const AccumulationSpec& accumulation) {
  const PassOrder order =
      accumulation.hardware == nullptr ? PassOrder::kXlaGpu : accumulation.hardware->pass_order;
  std::vector<std::string> known;
  for (const Row& row : AllRows()) {
    if (row.order != order) continue;
    const auto passes = static_cast<int>(row.passes.size());
    if (row.parts == accumulation.parts && passes == accumulation.passes) {
      // What is left for the last part is cut by the unit that takes tf32, and converted to
      // bfloat16.
      return MultiPass{
          .passes = row.passes,
          .part_count = row.part_count,
          .parts = row.parts,
          .rounds_parts = accumulation.splits_to_nearest,
          .rounds_last_part = accumulation.splits_to_nearest || row.parts == DType::kBFloat16,
          .continues_sum = order == PassOrder::kXlaTpu};
    }
    known.push_back(fmt::format("passes={},parts={}", passes, DTypeName(row.parts)));
  }
  return RefuseText(fmt::format("{} makes no such passes; expected one of {}: passes={},parts={}",
                                order == PassOrder::kXlaGpu ? "XLA for GPUs" : "XLA for TPUs",
                                fmt::join(known, ", "), accumulation.passes,
                                DTypeName(accumulation.parts)));
}

}  // namespace narrowgauge::internal
