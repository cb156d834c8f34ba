#include "src/backends/plain_dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "narrowgauge/precision_policy.h"
#include "src/numerics/codec.h"
#include "tests/support/test_data.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

using nlohmann::json;

constexpr auto kStride = static_cast<std::size_t>(test::kStride);

const std::map<std::string, DType> kOperands = {{"f32", DType::kFloat32},
                                                {"bf16", DType::kBFloat16},
                                                {"f16", DType::kFloat16},
                                                {"tf32", DType::kTf32},
                                                {"e4m3fn", DType::kFloat8E4M3Fn}};

// A setting of the golden data: the words of a policy for it, or what no words say, an exact sum
// wherever products are summed.
struct Setting {
  std::string accumulation;
  bool is_exact = false;
};

std::map<std::string, Setting> Settings() {
  std::map<std::string, Setting> settings = {
      {"exact_rne_f32", {"float32", true}},
      {"exact_bf16ops_rne_f32", {"float32", true}},
      {"seq_f32_fma", {"float32"}},
      {"seq_f32_muladd", {"float32,fma=separate"}},
      {"bf16_seq_f32", {"float32"}},
      {"bf16_seq_bf16_fused", {"bfloat16"}},
      {"bf16_seq_bf16_muladd", {"bfloat16,fma=separate"}},
      {"f16_seq_f32", {"float32"}},
      {"f16_seq_f16_fused", {"float16"}},
      {"f16_seq_f16_muladd", {"float16,fma=separate"}},
      {"bf16_pairwise_f32", {"float32/pairwise,fma=separate"}},
      {"bf16_pairwise_bf16", {"bfloat16/pairwise,fma=separate"}},
      {"f32_pairwise_f32", {"float32/pairwise,fma=separate"}},
      {"tf32_rz_seq_f32", {"float32"}},
      {"tf32_rne_seq_f32", {"float32"}},
      {"tf32_rna_seq_f32", {"float32"}},
      {"tc_v100_f16", {"nvidia/v100"}},
      {"tc_a100_f16", {"nvidia/a100"}},
      {"tc_a100_bf16", {"nvidia/a100"}},
      {"tc_a100_tf32", {"nvidia/a100"}},
      {"tc_h100_f16", {"nvidia/h100"}},
      {"tc_h100_bf16", {"nvidia/h100"}},
      {"tc_h100_tf32", {"nvidia/h100"}},
      {"tc_v100_f16_f16acc", {"nvidia/v100-f16acc"}},
      {"tc_h100_f16_f16acc", {"nvidia/h100-f16acc"}},
      {"tc_ada_e4m3", {"nvidia/ada"}},
      {"tc_h100_e4m3", {"nvidia/h100"}},
      {"tc_h100_e4m3_promote128", {"nvidia/h100-promote128"}},
      {"tc_b200_e4m3", {"nvidia/b200"}},
      {"cdna3_bf16", {"amd/cdna3"}},
      {"cdna3_f16", {"amd/cdna3"}},
      {"x86_vdpbf16ps", {"intel/avx512_bf16"}},
      {"x86_amx_tdpbf16ps", {"intel/amx"}},
      {"arm_bfdot", {"arm/bfmmla"}},
      {"arm_bfdot_ebf", {"arm/bfmmla-ebf"}},
      {"bf16x3_rne_exact", {"float32,passes=3,split=nearest", true}},
      {"bf16x6_rne_exact", {"float32,passes=6,split=nearest", true}}};
  for (const int block : {8, 16, 32, 128}) {
    const std::string name = "bf16_block" + std::to_string(block);
    const std::string blocks = "/block:" + std::to_string(block);
    settings[name + "_f32_f32"] = {"float32" + blocks};
    settings[name + "_f32_bf16"] = {"bfloat16" + blocks + ",inner=float32"};
    settings[name + "_f32_bf16pre"] = {"bfloat16" + blocks + ",inner=float32,handoff=round"};
    settings[name + "_exact_f32"] = {"float32" + blocks, true};
  }
  for (const int slices : {2, 4}) {
    const std::string name = "bf16_splitk" + std::to_string(slices);
    const std::string split = "float32/split-k:" + std::to_string(slices);
    settings[name + "_f32"] = {split};
    settings[name + "_bf16part_f32red"] = {split + ",partial=bfloat16"};
    settings[name + "_bf16part_bf16red"] = {split + ",partial=bfloat16,reduce=bfloat16"};
  }
  for (const auto& [name, passes] :
       {std::pair("bf16x3_xla", "passes=3"), std::pair("bf16x6_xla_gpu", "passes=6"),
        std::pair("bf16x9_xla_gpu", "passes=9"), std::pair("tf32x3_xla", "passes=3,parts=tf32")}) {
    settings[std::string(name) + "_seq"] = {"float32," + std::string(passes)};
    settings[std::string(name) + "_exact"] = {"float32," + std::string(passes), true};
  }
  return settings;
}

// The model of a setting with operands of one type.
DotModel ModelOfSetting(const Setting& setting, DType operands) {
  const auto policy = ParsePolicy("acc=" + setting.accumulation);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  auto model = ModelOf(policy->accumulation, operands, operands);
  EXPECT_TRUE(model.has_value()) << model.error().message;
  if (setting.is_exact) model->inner.order = InnerOrder::kExact;
  return *model;
}

// Settings of which no policy is made: chains side by side, as XLA's CPU has them, and the passes
// of a TPU in the way that the golden data has them, each whole before the next begins.
std::map<std::string, DotModel> Rules(const json& manifest) {
  std::map<std::string, DotModel> rules;
  for (const auto& [name, setting] : Settings()) {
    rules[name] = ModelOfSetting(setting, kOperands.at(manifest["rules"][name]["operand"]));
  }
  rules["f32_lanes4_fma"] = {.inner = {.lanes = 4}};
  DotModel on_tpu = ModelOfSetting({"tpu/v5e,passes=6"}, DType::kFloat32);
  on_tpu.block = 0;
  on_tpu.multi_pass.continues_sum = false;
  rules["bf16x6_tpu_exact"] = on_tpu;
  on_tpu.inner.order = InnerOrder::kChain;
  rules["bf16x6_tpu_seq"] = on_tpu;
  return rules;
}

const std::map<std::string, RoundingMode> kRoundings = {{"rne", RoundingMode::kNearestEven},
                                                        {"rna", RoundingMode::kNearestAway},
                                                        {"rz", RoundingMode::kTowardZero}};

// An operand as a rule takes it; whether subnormal ones are flushed is the model's own affair.
float Prepared(float value, const json& rule) {
  const DTypeInfo& info = GetDTypeInfo(kOperands.at(rule["operand"]));
  return DecodeFloat32(info, EncodeFloat32(info, value, kRoundings.at(rule["operand_rounding"]),
                                           OverflowMode::kNative));
}

json Manifest() {
  return json::parse(test::ReadBytes(test::DataPath("golden/accumulation/manifest.json")));
}

TEST(PlainDotTest, ReproducesTheGoldenResultsOfEverySetting) {
  const json manifest = Manifest();
  const std::map<std::string, DotModel> rules = Rules(manifest);
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
      if (model == rules.end()) continue;  // Rounds twice.
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
  EXPECT_EQ(rules.size() + 1, manifest["rules"].size());
  EXPECT_GT(compared * kStride * kStride, 5000U);
}

// Of u8 x s8: exactly, and as VPMADDUBSW and VPMADDWD add them.
TEST(PlainDotTest, ReproducesTheGoldenSumsOfIntegers) {
  const auto a = test::ReadNpy<std::uint8_t>("golden/accumulation/data/int8/A_u8.npy");
  const auto b = test::ReadNpy<std::int8_t>("golden/accumulation/data/int8/B_s8.npy");
  const std::map<std::string, std::string> files = {
      {"int32", "exact_s32"},
      {"int32,overflow=wrap", "exact_s32"},
      {"x86/vpdpbusd", "exact_s32"},
      {"int32,overflow=saturate16", "avx2_maddubs_s32"},
      {"x86/vpmaddubsw", "avx2_maddubs_s32"}};
  constexpr std::size_t kSide = 4;
  constexpr std::size_t kDepth = 64;
  for (const auto& [text, file] : files) {
    const auto policy = ParsePolicy("acc=" + text);
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    const auto model = ModelOf(policy->accumulation, DType::kUint8, DType::kInt8);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const auto expected =
        test::ReadNpy<std::int32_t>("golden/accumulation/data/int8/" + file + ".npy");
    for (std::size_t m = 0; m < kSide; ++m) {
      for (std::size_t n = 0; n < kSide; ++n) {
        std::vector<float> x(kDepth);
        std::vector<float> w(kDepth);
        for (std::size_t k = 0; k < kDepth; ++k) {
          x[k] = static_cast<float>(a[m * kDepth + k]);
          w[k] = static_cast<float>(b[k * kSide + n]);
        }
        EXPECT_EQ(PlainDot(*model, x, w), static_cast<double>(expected[m * kSide + n])) << text;
      }
    }
  }
}

TEST(PlainDotTest, IntegersWrapAndClipWhereTheyAreSaidTo) {
  const auto sum = [](const std::string& text, std::vector<float> x, std::vector<float> w) {
    return PlainDot(ModelOfSetting({"int32" + text}, DType::kInt8), x, w);
  };
  // jaxlib 0.10.2 on a CPU returns the second of these.
  const std::vector<float> many(140'000, 127.0F);
  EXPECT_EQ(sum("", many, many), 2258060000.0);
  EXPECT_EQ(sum(",overflow=wrap", many, many), -2036907296.0);
  EXPECT_EQ(sum(",overflow=saturate16", {255, 255}, {127, 127}), 32767);
  EXPECT_EQ(sum(",overflow=saturate16", {255, 255}, {-128, -128}), -32768);
  EXPECT_EQ(sum(",overflow=saturate16", {255, 255, 255}, {-128, -128, -128}), -32768 - 32640);
  EXPECT_EQ(sum("", {}, {}), 0);
}

// Two groups of 16 products x[k] * 1, of which most are zero.
TEST(PlainDotTest, Cdna3SumsEvenAndOddProductsOfFloat8Apart) {
  const auto sum = [](const std::vector<std::pair<std::size_t, float>>& products) {
    const DotModel model = ModelOfSetting({"amd/cdna3"}, DType::kFloat8E5M2Fnuz);
    std::vector<float> x(32);
    std::vector<float> w(32);
    for (const auto& [k, product] : products) {
      x[k] = std::ldexp(product, product < 0x1p-10F && product > -0x1p-10F ? 15 : 0);
      w[k] = x[k] == product ? 1.0F : 0x1p-15F;
    }
    return PlainDot(model, x, w, {-15, -15});
  };
  // Alone a small product is exact; where even and odd meet, it is rounded down to 24 bits.
  EXPECT_EQ(sum({{1, 0x1p-25F}}), 0x1p-25);
  EXPECT_EQ(sum({{0, 1.0F}, {1, 0x1p-25F}}), 1);
  EXPECT_EQ(sum({{0, 1.0F}, {1, -0x1p-25F}}), 1 - 0x1p-24);
  EXPECT_EQ(sum({{0, 1.0F}, {2, -0x1p-25F}}), 1);  // Among even ones it is cut.
  // A sum so far is rounded down as well, or dropped if it is too small.
  EXPECT_EQ(sum({{0, -0x1p-25F}, {16, 1.0F}}), 1 - 0x1p-24);
  EXPECT_EQ(sum({{0, -0x1p-26F}, {16, 1.0F}}), 1);
}

TEST(PlainDotTest, Cdna2AddsTreesOfFourWithoutSubnormals) {
  const DotModel model = ModelOfSetting({"amd/cdna2"}, DType::kFloat32);
  EXPECT_EQ(model.block, 0);  // float32 is a chain.
  const DotModel trees = ModelOfSetting({"amd/cdna2"}, DType::kBFloat16);
  // (2^24 + 1) + (1 + 1): the first sum rounds to even; a chain would lose every one of them.
  EXPECT_EQ(PlainDot(trees, std::vector<float>{0x1p24F, 1, 1, 1}, std::vector<float>(4, 1.0F)),
            0x1p24 + 2);
  EXPECT_EQ(PlainDot(trees, std::vector<float>{0x1p-100F}, std::vector<float>{0x1p-30F}), 0);
  EXPECT_EQ(PlainDot(trees, std::vector<float>{0x1p-130F}, std::vector<float>{0x1p100F}), 0);
}

TEST(PlainDotTest, InfiniteFactorsSurviveSeveralPasses) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const char* const text : {"float32,passes=3", "float32,passes=6", "float32,passes=9",
                                 "float32,passes=3,parts=tf32", "tpu/v5e,passes=6"}) {
    const DotModel model = ModelOfSetting({text}, DType::kFloat32);
    const std::vector<float> x = {1.1F, kInfinity};
    EXPECT_EQ(PlainDot(model, x, std::vector<float>{3, 2}), kInfinity) << text;
    EXPECT_TRUE(std::isnan(PlainDot(model, x, std::vector<float>{-kInfinity, 2}))) << text;
    EXPECT_EQ(PlainDot(model, {}, {}), 0) << text;
  }
}

// Each pass goes on from the sum so far, block after block; on its own it would begin at zero.
TEST(PlainDotTest, PassesOfATpuAddTheirBlocksToTheSumSoFar) {
  const DotModel model = ModelOfSetting({"tpu/v5e,passes=3"}, DType::kFloat32);
  std::vector<float> x(300);
  std::vector<float> w(300);
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = 1.0F + 0x1p-10F * static_cast<float>(k * k % 997);
    w[k] = 1.0F - 0x1p-11F * static_cast<float>(k * 7 % 1009);
  }
  const auto parts_of_x = SplitIntoParts(model.multi_pass, x);
  const auto parts_of_w = SplitIntoParts(model.multi_pass, w);
  float sum = 0;
  for (const auto& [i, j] : {std::pair(1, 0), std::pair(0, 1), std::pair(0, 0)}) {
    for (std::size_t begin = 0; begin < x.size(); begin += 128) {
      double block = 0;  // Exact: products of 16 bits, all of about the same size.
      for (std::size_t k = begin; k < std::min(begin + 128, x.size()); ++k) {
        block += static_cast<double>(parts_of_x[static_cast<std::size_t>(i)][k]) *
                 static_cast<double>(parts_of_w[static_cast<std::size_t>(j)][k]);
      }
      sum += static_cast<float>(block);
    }
  }
  EXPECT_EQ(PlainDot(model, x, w), static_cast<double>(sum));
}

}  // namespace
}  // namespace narrowgauge::internal
