#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
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
                  Pair("bf16 between blocks of 128",
                       "w=bfloat16 a=bfloat16 acc=bfloat16/block:128,inner=float32 "
                       "out=bfloat16")));
}

}  // namespace
}  // namespace narrowgauge
