#include "narrowgauge/dot_algorithm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

std::string Followed(std::string_view text) {
  const auto policy = FollowDotAlgorithm(text);
  return policy ? FormatPolicyBriefly(policy->policy) : policy.error().message;
}

std::vector<std::string> Names(std::string_view policy) {
  return DotAlgorithmsOf(ParsePolicy(policy).value());
}

// Every pair has a policy that some engine computes, or a reason.
TEST(DotAlgorithmTest, EveryBackendSaysWhatItMakesOfEveryAlgorithm) {
  std::set<std::string_view> names;
  for (const DotAlgorithm& algorithm : AllDotAlgorithms()) {
    EXPECT_TRUE(names.insert(algorithm.name).second);
    for (const std::string_view backend : DotBackends()) {
      const std::string text = std::string(algorithm.name) + "/" + std::string(backend);
      const auto policy = FollowDotAlgorithm(text);
      if (!policy) {
        EXPECT_THAT(policy.error().message, testing::StartsWith(text + ": "));
        EXPECT_NE(backend, "stablehlo");
        continue;
      }
      EXPECT_EQ(policy->name, text);
      EXPECT_TRUE(ModelOf(policy->policy).has_value()) << text;
      EXPECT_THAT(DotAlgorithmsOf(policy->policy), Contains(text));
    }
  }
  EXPECT_EQ(names.size(), 15U);  // jax 0.10.2's, without DEFAULT.
}

TEST(DotAlgorithmTest, WhatBackendsMakeOfThem) {
  EXPECT_EQ(Followed("BF16_BF16_F32"), "w=bfloat16 a=bfloat16");
  EXPECT_EQ(Followed("BF16_BF16_F32/tpu"), "w=bfloat16 a=bfloat16 acc=tpu/v5e");
  EXPECT_EQ(Followed("BF16_BF16_F32/xla-cpu"), "w=float32");
  EXPECT_EQ(Followed("BF16_BF16_F32_X6/xla-gpu"), "acc=float32,passes=6");
  EXPECT_EQ(Followed("BF16_BF16_F32_X6/tpu"), "acc=tpu/v5e,passes=6");
  EXPECT_EQ(Followed("TF32_TF32_F32/xla-gpu"), "w=tf32,round=zero a=tf32,round=zero");
  EXPECT_EQ(Followed("F16_F16_F16"), "w=float16 a=float16 acc=float16");
  EXPECT_EQ(Followed("F16_F16_F16/xla-cpu"), "w=float16 a=float16 out=float16");
  EXPECT_EQ(Followed("ANY_F8_ANY_F8_F32_FAST_ACCUM/xla-gpu"),
            "w=float8_e4m3fn a=float8_e4m3fn acc=nvidia/h100");
  EXPECT_EQ(Followed("dot_bf16_bf16_f32_x3"), "acc=float32,passes=3");  // XLA's spelling.
}

// As jax 0.10.2 lowers lax.DotAlgorithmPreset.BF16_BF16_F32_X3.
TEST(DotAlgorithmTest, StableHlosAttribute) {
  const auto& algorithms = AllDotAlgorithms();
  const auto x3 = std::ranges::find(algorithms, "BF16_BF16_F32_X3", &DotAlgorithm::name);
  const std::string text =
      "#stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, "
      "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
      "num_primitive_operations = 3, allow_imprecise_accumulation = false>";
  EXPECT_EQ(FormatDotAlgorithm(*x3), text);
  for (const DotAlgorithm& algorithm : algorithms) {
    const std::string printed = FormatDotAlgorithm(algorithm);
    EXPECT_EQ(Followed(printed), Followed(algorithm.name)) << printed;
    EXPECT_EQ(Followed(printed + "/xla-gpu"), Followed(std::string(algorithm.name) + "/xla-gpu"))
        << printed;
  }
}

TEST(DotAlgorithmTest, Float8OperandsKeepTheirTypes) {
  constexpr std::string_view kFields =
      "lhs_precision_type = f8E5M2, rhs_precision_type = f8E4M3FN, accumulation_type = f32, "
      "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
      "allow_imprecise_accumulation = true";
  EXPECT_EQ(Followed(std::string(kFields) + "/xla-gpu"),
            "w=float8_e4m3fn a=float8_e5m2 acc=nvidia/h100");
  EXPECT_THAT(Names("w=float8_e4m3fn a=float8_e5m2 acc=nvidia/h100"),
              ElementsAre("ANY_F8_ANY_F8_F32_FAST_ACCUM/xla-gpu"));
}

TEST(DotAlgorithmTest, BackOnlyWhereThereIsOne) {
  EXPECT_THAT(Names("acc=float32,passes=9"),
              ElementsAre("BF16_BF16_F32_X9/stablehlo", "BF16_BF16_F32_X9/xla-gpu"));
  EXPECT_THAT(Names("acc=tpu/v6e,passes=6"), ElementsAre("BF16_BF16_F32_X6/tpu"));
  EXPECT_THAT(Names("acc=nvidia/a100,passes=3,parts=tf32"),
              ElementsAre("TF32_TF32_F32_X3/xla-gpu"));
  EXPECT_THAT(Names("w=bfloat16 a=bfloat16 acc=nvidia/h100 out=bfloat16"),
              ElementsAre("BF16_BF16_F32/xla-gpu"));
  EXPECT_THAT(Names("w=float32"),
              IsSupersetOf({"F32_F32_F32/xla-gpu", "BF16_BF16_F32_X3/xla-cpu"}));
  EXPECT_THAT(Names("w=bfloat16 a=bfloat16 acc=bfloat16/pairwise"), IsEmpty());
  EXPECT_THAT(Names("w=int8/channel"), IsEmpty());
}

TEST(DotAlgorithmTest, RefusesWithWords) {
  EXPECT_THAT(Followed("BF16_BF16_F32_X4"),
              AllOf(HasSubstr("unknown dot algorithm"), HasSubstr("(nearest: BF16_BF16_F32_X3)")));
  EXPECT_THAT(Followed("BF16_BF16_F32/gpu"), HasSubstr("stablehlo, xla-gpu, tpu, xla-cpu"));
  EXPECT_THAT(Followed("BF16_BF16_F32_X9/tpu"), HasSubstr("is not supported"));
  EXPECT_THAT(Followed("DEFAULT"), HasSubstr("TF32_TF32_F32/xla-gpu"));
  EXPECT_THAT(Followed(""), HasSubstr("unknown dot algorithm"));
  EXPECT_THAT(Followed("<>"), HasSubstr("unknown dot algorithm"));
  EXPECT_THAT(Followed("<a=b>"), HasSubstr("unknown field of a dot algorithm"));
  EXPECT_THAT(Followed("<lhs_precision_type = bf16"), HasSubstr("needs its \">\""));
  EXPECT_THAT(Followed("lhs_precision_type = bf16"), HasSubstr("missing: rhs_precision_type"));
  EXPECT_THAT(Followed("lhs_precision_type = bf16, lhs_precision_type = bf16"),
              HasSubstr("given once"));
  constexpr std::string_view kFields =
      "<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, "
      "lhs_component_count = 2, rhs_component_count = 1, num_primitive_operations = 1, "
      "allow_imprecise_accumulation = false>";
  EXPECT_THAT(Followed(kFields), HasSubstr("StableHLO refuses it"));
  EXPECT_THAT(Followed(std::string(kFields) + "tpu"), HasSubstr("is /BACKEND"));
}

TEST(DotAlgorithmTest, ThePresetHasEachPolicyOnceUnderItsFirstName) {
  std::set<std::string> names;
  for (const NamedPolicy& named : DotAlgorithmPolicies()) {
    names.insert(named.name);
    EXPECT_THAT(DotAlgorithmsOf(named.policy), Contains(named.name));
  }
  EXPECT_THAT(names, IsSupersetOf({"F32_F32_F32/stablehlo", "BF16_BF16_F32_X3/stablehlo",
                                   "BF16_BF16_F32_X3/tpu", "TF32_TF32_F32/xla-gpu",
                                   "ANY_F8_ANY_F8_F32_FAST_ACCUM/xla-gpu"}));
  EXPECT_THAT(names, Not(Contains("BF16_BF16_F32_X3/xla-cpu")));  // That is F32_F32_F32.
  EXPECT_EQ(FindPreset("dot-algorithms").value().size(), names.size());
}

}  // namespace
}  // namespace narrowgauge
