#include "src/backends/plain_dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "src/numerics/codec.h"
#include "src/numerics/sum_format.h"
#include "tests/support/test_data.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

using nlohmann::json;

constexpr auto kStride = static_cast<std::size_t>(test::kStride);

constexpr SumRounding kTowardZero = SumRounding::kTowardZero;

SumFormat Format(DType dtype, SumRounding rounding = SumRounding::kNearestEven) {
  SumFormat format = SumFormatOf(dtype);
  format.rounding = rounding;
  return format;
}

SumFormat Flushing(SumFormat format) {
  format.flushes_subnormals = true;
  return format;
}

const SumFormat kF32 = Format(DType::kFloat32);
const SumFormat kBf16 = Format(DType::kBFloat16);
const SumFormat kF16 = Format(DType::kFloat16);

DotModel Chain(const SumFormat& format, bool rounds_products = false) {
  return {.inner = {.format = format, .rounds_products = rounds_products}};
}

DotModel Exact() { return {.inner = {.order = InnerOrder::kExact}}; }

DotModel Pairwise(const SumFormat& format) {
  return {.inner = {.order = InnerOrder::kPairwise, .format = format, .rounds_products = true}};
}

DotModel Aligned(int bits, std::int64_t group, const SumFormat& format) {
  return {.inner = {.order = InnerOrder::kAligned, .format = format, .group = group, .bits = bits}};
}

DotModel Cdna3() {
  DotModel model = Aligned(24, 8, kF32);
  model.inner.alignment = Alignment::kProductsThenSum;
  return model;
}

DotModel Blocks(std::int64_t block, DotModel model, const SumFormat& outer, bool rounds = false) {
  model.block = block;
  model.outer = outer;
  model.rounds_block_sums = rounds;
  return model;
}

DotModel Slices(std::int64_t slices, const SumFormat& partial, const SumFormat& reduce) {
  DotModel model = Chain(kF32);
  model.slices = slices;
  model.partial = partial;
  model.reduce = reduce;
  return model;
}

DotModel OddFirst() {
  DotModel model = Chain(Flushing(kF32));
  model.inner.odd_before_even = true;
  return model;
}

DotModel Lanes(int lanes, const SumFormat& format) {
  DotModel model = Chain(format);
  model.inner.lanes = lanes;
  return model;
}

// The settings of the golden data that need no split of operands.
std::map<std::string, DotModel> Rules() {
  const SumFormat f32_down = Format(DType::kFloat32, kTowardZero);
  const SumFormat f32_odd = Flushing(Format(DType::kFloat32, SumRounding::kToOdd));
  std::map<std::string, DotModel> rules = {
      {"exact_rne_f32", Exact()},
      {"exact_bf16ops_rne_f32", Exact()},
      {"seq_f32_fma", Chain(kF32)},
      {"seq_f32_muladd", Chain(kF32, true)},
      {"f32_lanes4_fma", Lanes(4, kF32)},
      {"bf16_seq_f32", Chain(kF32)},
      {"bf16_seq_bf16_fused", Chain(kBf16)},
      {"bf16_seq_bf16_muladd", Chain(kBf16, true)},
      {"f16_seq_f32", Chain(kF32)},
      {"f16_seq_f16_fused", Chain(kF16)},
      {"f16_seq_f16_muladd", Chain(kF16, true)},
      {"bf16_pairwise_f32", Pairwise(kF32)},
      {"bf16_pairwise_bf16", Pairwise(kBf16)},
      {"f32_pairwise_f32", Pairwise(kF32)},
      {"tf32_rz_seq_f32", Chain(kF32)},
      {"tf32_rne_seq_f32", Chain(kF32)},
      {"tf32_rna_seq_f32", Chain(kF32)},
      {"tc_v100_f16", Aligned(23, 4, f32_down)},
      {"tc_a100_f16", Aligned(24, 8, f32_down)},
      {"tc_a100_bf16", Aligned(24, 8, f32_down)},
      {"tc_a100_tf32", Aligned(24, 4, f32_down)},
      {"tc_h100_f16", Aligned(25, 16, f32_down)},
      {"tc_h100_bf16", Aligned(25, 16, f32_down)},
      {"tc_h100_tf32", Aligned(25, 8, f32_down)},
      {"tc_v100_f16_f16acc", Aligned(23, 4, kF16)},
      {"tc_h100_f16_f16acc", Aligned(25, 16, kF16)},
      {"tc_ada_e4m3", Aligned(13, 16, SumFormatOf(SumType{SumKind::kE8M13}))},
      {"tc_h100_e4m3", Aligned(13, 32, SumFormatOf(SumType{SumKind::kE8M13}))},
      {"tc_h100_e4m3_promote128",
       Blocks(128, Aligned(13, 32, SumFormatOf(SumType{SumKind::kE8M13})), kF32)},
      {"tc_b200_e4m3", Aligned(25, 32, f32_down)},
      {"cdna3_bf16", Cdna3()},
      {"cdna3_f16", Cdna3()},
      {"x86_vdpbf16ps", OddFirst()},
      {"x86_amx_tdpbf16ps", Blocks(32, Lanes(2, Flushing(kF32)), Flushing(kF32))},
      {"arm_bfdot", Blocks(2, Chain(f32_odd, true), f32_odd)},
      {"arm_bfdot_ebf", Blocks(2, Exact(), kF32)}};
  for (const int block : {8, 16, 32, 128}) {
    const std::string name = "bf16_block" + std::to_string(block);
    rules[name + "_f32_f32"] = Blocks(block, Chain(kF32), kF32);
    rules[name + "_f32_bf16"] = Blocks(block, Chain(kF32), kBf16);
    rules[name + "_f32_bf16pre"] = Blocks(block, Chain(kF32), kBf16, true);
    rules[name + "_exact_f32"] = Blocks(block, Exact(), kF32);
  }
  for (const int slices : {2, 4}) {
    const std::string name = "bf16_splitk" + std::to_string(slices);
    rules[name + "_f32"] = Slices(slices, kF32, kF32);
    rules[name + "_bf16part_f32red"] = Slices(slices, kBf16, kF32);
    rules[name + "_bf16part_bf16red"] = Slices(slices, kBf16, kBf16);
  }
  return rules;
}

const std::map<std::string, DType> kOperands = {{"f32", DType::kFloat32},
                                                {"bf16", DType::kBFloat16},
                                                {"f16", DType::kFloat16},
                                                {"tf32", DType::kTf32},
                                                {"e4m3fn", DType::kFloat8E4M3Fn}};
const std::map<std::string, RoundingMode> kRoundings = {{"rne", RoundingMode::kNearestEven},
                                                        {"rna", RoundingMode::kNearestAway},
                                                        {"rz", RoundingMode::kTowardZero}};

// An operand as a rule takes it.
float Prepared(float value, const json& rule) {
  const DTypeInfo& info = GetDTypeInfo(kOperands.at(rule["operand"]));
  const float rounded = DecodeFloat32(
      info,
      EncodeFloat32(info, value, kRoundings.at(rule["operand_rounding"]), OverflowMode::kNative));
  const bool is_subnormal = std::fabs(rounded) < std::ldexp(1.0F, 1 - info.exponent_bias);
  return rule["daz"] && is_subnormal ? 0.0F : rounded;
}

json Manifest() {
  return json::parse(test::ReadBytes(test::DataPath("golden/accumulation/manifest.json")));
}

TEST(PlainDotTest, ReproducesTheGoldenResultsOfEverySetting) {
  const json manifest = Manifest();
  const std::map<std::string, DotModel> rules = Rules();
  std::size_t compared = 0;
  for (const auto& [set, info] : manifest["sets"].items()) {
    const std::string folder = "golden/accumulation/data/" + set + "/";
    const auto a = test::ReadNpy<float>(folder + "A.npy");
    const auto b = test::ReadNpy<float>(folder + "B.npy");
    const auto expected = test::ReadNpy<float>(folder + "expected.npy");
    const std::size_t rows = info["A"][0];
    const std::size_t depth = info["A"][1];
    const std::size_t columns = info["B"][1];
    for (std::size_t r = 0; r < info["expected"].size(); ++r) {
      const std::string name = info["expected"][r];
      const auto model = rules.find(name);
      if (model == rules.end()) continue;  // Of several passes, or of two roundings.
      const json& rule = manifest["rules"][name];
      const int exponent = 1 - GetDTypeInfo(kOperands.at(rule["operand"])).exponent_bias;
      for (std::size_t m = 0; m < rows; m += kStride) {
        for (std::size_t n = 0; n < columns; n += kStride) {
          std::vector<float> x(depth);
          std::vector<float> w(depth);
          for (std::size_t k = 0; k < depth; ++k) {
            x[k] = Prepared(a[m * depth + k], rule);
            w[k] = Prepared(b[k * columns + n], rule);
          }
          const float want = expected[(r * rows + m) * columns + n];
          const double got = PlainDot(model->second, x, w, {exponent, exponent});
          ASSERT_EQ(got, static_cast<double>(want)) << name << " of " << set;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(rules.size(), 58U);
  EXPECT_GT(compared * kStride * kStride, 5000U);
}

}  // namespace
}  // namespace narrowgauge::internal
