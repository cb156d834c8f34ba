#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> Texts(std::span<const NamedPolicy> policies) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const NamedPolicy& named : policies) {
    texts.emplace_back(named.name, FormatPolicy(named.policy));
  }
  return texts;
}

// Name and weights of policies that leave everything else at float32.
std::vector<std::pair<std::string, std::string>> WeightTexts(std::string_view preset) {
  std::vector<std::pair<std::string, std::string>> texts;
  const auto policies = FindPreset(preset).value();
  for (const NamedPolicy& named : policies) {
    PrecisionPolicy others = named.policy;
    others.weights = {};
    EXPECT_EQ(others, PrecisionPolicy{}) << named.name;
    texts.emplace_back(named.name, FormatSpec(named.policy.weights));
  }
  return texts;
}

TEST(PresetsTest, TheTutorialsPolicies) {
  EXPECT_THAT(
      Texts(TutorialPolicies()),
      ElementsAre(
          Pair("bf16 (fp32 accum)", "w=bfloat16 a=bfloat16 acc=float32 out=float32"),
          Pair("bf16 (bf16 accum)", "w=bfloat16 a=bfloat16 acc=float32 out=bfloat16"),
          Pair("int8 per-col (fp32 accum)", "w=int8/channel a=float32 acc=float32 out=float32")));
}

TEST(PresetsTest, TrueBfloat16Accumulators) {
  EXPECT_THAT(
      Texts(Bfloat16AccumulatorPolicies()),
      ElementsAre(Pair("bf16 sequential", "w=bfloat16 a=bfloat16 acc=bfloat16 out=bfloat16"),
                  Pair("bf16 pairwise", "w=bfloat16 a=bfloat16 acc=bfloat16/pairwise out=bfloat16"),
                  Pair("bf16 between blocks of 8",
                       "w=bfloat16 a=bfloat16 acc=bfloat16/block:8,inner=float32 out=bfloat16"),
                  Pair("bf16 between blocks of 16",
                       "w=bfloat16 a=bfloat16 acc=bfloat16/block:16,inner=float32 out=bfloat16"),
                  Pair("bf16 between blocks of 32",
                       "w=bfloat16 a=bfloat16 acc=bfloat16/block:32,inner=float32 out=bfloat16"),
                  Pair("bf16 between blocks of 128",
                       "w=bfloat16 a=bfloat16 acc=bfloat16/block:128,inner=float32 out=bfloat16")));
}

TEST(PresetsTest, AccumulatorsDifferInNothingElse) {
  const auto policies = FindPreset("accumulators").value();
  const PrecisionPolicy& first = policies.front().policy;
  for (const NamedPolicy& named : policies) {
    EXPECT_EQ(named.policy.weights, first.weights) << named.name;
    EXPECT_EQ(named.policy.activations, first.activations) << named.name;
    EXPECT_EQ(named.policy.output, DType::kFloat32) << named.name;
  }
}

TEST(PresetsTest, TwelveWaysOfStoringWeights) {
  EXPECT_THAT(WeightTexts("weights"),
              ElementsAre(Pair("bf16", "bfloat16"), Pair("fp16", "float16"),
                          Pair("int8_tensor", "int8/tensor"), Pair("int8_input", "int8/input"),
                          Pair("int8_g128", "int8/group:128"), Pair("int4_g32", "int4/group:32"),
                          Pair("e4m3_tensor", "float8_e4m3fn/tensor"),
                          Pair("e4m3_input", "float8_e4m3fn/input"),
                          Pair("e5m2_tensor", "float8_e5m2/tensor"), Pair("mxfp8", "mxfp8_e4m3"),
                          Pair("mxfp4", "mxfp4"), Pair("nvfp4", "nvfp4")));
  const auto policies = FindPreset("weights").value();
  for (const NamedPolicy& named : policies) {
    EXPECT_EQ(named.policy.weights.range, ScaleRange::kNarrow) << named.name;
  }
}

TEST(PresetsTest, MxNamesAreTheirFormatsAndRules) {
  for (const auto& [name, text] : WeightTexts("mx")) {
    const std::size_t space = name.find(' ');
    EXPECT_EQ(text, space == std::string::npos
                        ? name
                        : name.substr(0, space) + ",rule=" + name.substr(space + 1));
  }
}

TEST(PresetsTest, FormatsAreNamedByTheirText) {
  for (const auto& [name, text] : WeightTexts("formats")) EXPECT_EQ(name, text);
}

TEST(PresetsTest, EveryPresetIsFoundAndHasNoNameTwice) {
  std::set<std::string_view> presets;
  for (const Preset& preset : AllPresets()) {
    EXPECT_TRUE(presets.insert(preset.name).second) << preset.name;
    EXPECT_FALSE(preset.summary.empty()) << preset.name;
    EXPECT_FALSE(preset.policies().empty()) << preset.name;
    const auto found = FindPreset(preset.name);
    ASSERT_TRUE(found.has_value()) << preset.name;
    EXPECT_EQ(found->data(), preset.policies().data());
    std::set<std::string> names;
    std::set<std::string> texts;
    for (const NamedPolicy& named : preset.policies()) {
      EXPECT_TRUE(names.insert(named.name).second) << named.name;
      EXPECT_TRUE(texts.insert(FormatPolicy(named.policy)).second) << named.name;
      EXPECT_EQ(ParsePolicy(FormatPolicy(named.policy)).value(), named.policy) << named.name;
    }
  }
  EXPECT_THAT(presets,
              testing::UnorderedElementsAre("tutorial", "weights", "mx", "formats",
                                            "bf16-accumulators", "accumulators", "tpu/default",
                                            "tpu/high", "tpu/highest", "dot-algorithms"));
}

TEST(FindPresetTest, NamesTheAcceptedWords) {
  const auto found = FindPreset("wieghts");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, StatusCode::kInvalidArgument);
  EXPECT_EQ(found.error().message,
            "unknown preset; expected one of tutorial, weights, mx, formats, bf16-accumulators, "
            "accumulators, tpu/default, tpu/high, tpu/highest, dot-algorithms (nearest: weights): "
            "\"wieghts\"");
}

}  // namespace
}  // namespace narrowgauge
