#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string Canonical(std::string_view text) {
  const auto policy = ParsePolicy(text);
  EXPECT_TRUE(policy.has_value()) << text << ": " << policy.error().message;
  return policy ? FormatPolicy(*policy) : "";
}

std::string Refusal(std::string_view text) {
  const auto policy = ParsePolicy(text);
  if (policy) return "accepted as " + FormatPolicy(*policy);
  EXPECT_EQ(policy.error().code, StatusCode::kInvalidArgument);
  return policy.error().message;
}

TEST(FormatPolicyTest, EveryPartIsWritten) {
  EXPECT_EQ(FormatPolicy({}), "w=float32 a=float32 acc=float32 out=float32");
}

TEST(FormatPolicyTest, BrieflyOnlyWhatIsNotTheDefaultIsWritten) {
  const auto brief = [](std::string_view text) {
    return FormatPolicyBriefly(ParsePolicy(text).value());
  };
  EXPECT_EQ(FormatPolicyBriefly({}), "w=float32");
  EXPECT_EQ(brief("acc=f32 out=fp32 w=i8/channel,range=127 a=float32"), "w=int8/channel");
  EXPECT_EQ(brief("a=bf16 w=float32"), "a=bfloat16");
  EXPECT_EQ(brief("w=bf16 a=bf16 acc=bf16"), "w=bfloat16 a=bfloat16 acc=bfloat16");
  EXPECT_EQ(brief("w=bf16 a=bf16 acc=bf16 out=f32"),
            "w=bfloat16 a=bfloat16 acc=bfloat16 out=float32");
  EXPECT_EQ(brief("out=bf16"), "out=bfloat16");
}

TEST(PolicyTextTest, EveryPolicyIsItsText) {
  std::vector<QuantizationSpec> operands;
  for (const std::string_view text :
       {"float32", "bfloat16", "int8/channel", "uint4/group:128,scale=float16", "mxfp4,rule=ceil",
        "float8_e4m3fn/block:128x128,method=percentile:99.9,apply=after"}) {
    operands.push_back(ParseSpec(text).value());
  }
  std::vector<AccumulationSpec> accumulations;
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    for (const std::int64_t block : {std::int64_t{0}, std::int64_t{1}, std::int64_t{128},
                                     std::numeric_limits<std::int64_t>::max()}) {
      accumulations.push_back({.dtype = dtype, .float32_block = block});
    }
  }
  for (const QuantizationSpec& weights : operands) {
    for (const QuantizationSpec& activations : operands) {
      for (const AccumulationSpec& accumulation : accumulations) {
        for (const DType output : AllDTypes()) {
          const DTypeInfo& info = GetDTypeInfo(output);
          if (info.kind != DTypeKind::kFloat || !info.has_zero) continue;
          const PrecisionPolicy policy = {.weights = weights,
                                          .activations = activations,
                                          .accumulation = accumulation,
                                          .output = output};
          const std::string text = FormatPolicy(policy);
          const auto again = ParsePolicy(text);
          ASSERT_TRUE(again.has_value()) << text << ": " << again.error().message;
          ASSERT_EQ(*again, policy) << text;
          ASSERT_EQ(FormatPolicy(*again), text);
          const std::string brief = FormatPolicyBriefly(policy);
          const auto from_brief = ParsePolicy(brief);
          ASSERT_TRUE(from_brief.has_value()) << brief << ": " << from_brief.error().message;
          ASSERT_EQ(*from_brief, policy) << brief;
        }
      }
    }
  }
}

TEST(ParsePolicyTest, PartsMayBeLeftOutAndStandInAnyOrder) {
  EXPECT_EQ(Canonical("w=int8/channel"), "w=int8/channel a=float32 acc=float32 out=float32");
  EXPECT_EQ(Canonical("acc=bfloat16"), "w=float32 a=float32 acc=bfloat16 out=bfloat16");
  EXPECT_EQ(Canonical("out=float16 acc=bfloat16"), "w=float32 a=float32 acc=bfloat16 out=float16");
  EXPECT_EQ(Canonical("\t a=bf16 \n w=bf16 "), "w=bfloat16 a=bfloat16 acc=float32 out=float32");
}

TEST(ParsePolicyTest, PartsAreRefused) {
  EXPECT_THAT(Refusal(""), HasSubstr("at least one part"));
  EXPECT_THAT(Refusal(" \t"), HasSubstr("at least one part"));
  EXPECT_THAT(Refusal("ac=float32"),
              AllOf(HasSubstr("unknown part of a policy; expected one of w, a, acc, out"),
                    HasSubstr("(nearest:")));
  EXPECT_THAT(Refusal("W=float32"), HasSubstr("unknown part"));
  EXPECT_THAT(Refusal("bfloat16"), HasSubstr("write w=bfloat16 or a=bfloat16"));
  EXPECT_THAT(Refusal("w"), HasSubstr("needs a value"));
  EXPECT_THAT(Refusal("w="), HasSubstr("needs a value"));
  EXPECT_THAT(Refusal("w=bfloat16 w=bfloat16"), HasSubstr("once only"));
  EXPECT_THAT(Refusal("w=bfloat16,a=bfloat16"), StartsWith("w=: unknown key"));
}

TEST(ParsePolicyTest, MessagesBeginWithTheirPart) {
  EXPECT_THAT(Refusal("w=int8"), AllOf(StartsWith("w=: "), HasSubstr("int8/channel")));
  EXPECT_THAT(Refusal("w=bfloat16 a=int9/tensor"),
              AllOf(StartsWith("a=: unknown format"), HasSubstr("(nearest: int8)")));
  EXPECT_THAT(Refusal("acc=flaot32"), AllOf(StartsWith("acc=: unknown type to accumulate in"),
                                            HasSubstr("(nearest: float32)")));
  EXPECT_THAT(Refusal("out=bfloat15"),
              AllOf(StartsWith("out=: unknown dtype"), HasSubstr("(nearest: bfloat16)")));
}

TEST(ParsePolicyTest, OnlyFloatsAreReturned) {
  EXPECT_THAT(Refusal("out=int8"), HasSubstr("returned as a float"));
  EXPECT_THAT(Refusal("out=float8_e8m0fnu"), HasSubstr("returned as a float"));
}

TEST(ParsePolicyTest, AccumulationsThatAreSupported) {
  const std::string block = "w=float32 a=float32 acc=bfloat16/block:128,inner=float32 out=bfloat16";
  EXPECT_EQ(Canonical("acc=bfloat16/block:128,inner=float32"), block);
  EXPECT_EQ(Canonical("acc=bfloat16/block:128,handoff=keep,inner=float32,fma=fused"), block);
  EXPECT_EQ(Canonical("acc=float32/block:64"),
            "w=float32 a=float32 acc=float32/block:64,inner=float32 out=float32");
  EXPECT_EQ(Canonical("acc=float32/sequential,fma=fused"), FormatPolicy({}));
}

TEST(ParsePolicyTest, AccumulationsThatAreNotSupportedYet) {
  for (const std::string_view text : {"nvidia/h100",
                                      "amd/cdna3-mi300x",
                                      "float16",
                                      "tf32",
                                      "float64",
                                      "int32",
                                      "int32,overflow=wrap",
                                      "int32,overflow=saturate16",
                                      "float32/pairwise",
                                      "float32/block:128+pairwise",
                                      "float32/sequential+block:128",
                                      "bfloat16/block:128",
                                      "bfloat16/block:128,inner=bfloat16",
                                      "bfloat16/block:128,inner=float32,handoff=round",
                                      "float32/split-k:4",
                                      "float32/split-k:4+block:32,partial=bfloat16,reduce=float32",
                                      "float32/aligned:16,bits=25",
                                      "float32/aligned:32,bits=13,promote=4",
                                      "float32,fma=separate",
                                      "float32,passes=3",
                                      "bfloat16,passes=9"}) {
    EXPECT_THAT(Refusal("acc=" + std::string(text)),
                AllOf(StartsWith("acc=: this accumulation is not supported yet; supported are "
                                 "float32 and bfloat16"),
                      HasSubstr("\"" + std::string(text) + "\"")))
        << text;
  }
}

TEST(ParsePolicyTest, AccumulationsThatAreNotInTheGrammar) {
  const auto refusal = [](std::string_view text) { return Refusal("acc=" + std::string(text)); };
  EXPECT_THAT(refusal("int8"), HasSubstr("unknown type to accumulate in"));
  EXPECT_THAT(refusal("nvidai/h100"), HasSubstr("(nearest: nvidia)"));
  EXPECT_THAT(refusal("h100"), HasSubstr("nvidia, amd, google, intel, arm"));
  for (const std::string_view text :
       {"nvidia", "nvidia/", "nvidia/H100", "nvidia/h100,fma=fused"}) {
    EXPECT_THAT(refusal(text), HasSubstr("VENDOR/MODEL")) << text;
  }
  EXPECT_THAT(refusal("float32/"), HasSubstr("unknown order of accumulation"));
  EXPECT_THAT(refusal("float32/pairwise+"), HasSubstr("unknown order of accumulation"));
  EXPECT_THAT(refusal("float32/pairwsie"),
              AllOf(HasSubstr("sequential, pairwise, block, split-k, aligned"),
                    HasSubstr("(nearest: pairwise)")));
  EXPECT_THAT(refusal("float32/pairwise:2"), HasSubstr("takes no size"));
  EXPECT_THAT(refusal("float32/block"), HasSubstr("block:128"));
  EXPECT_THAT(refusal("float32/block:0"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("float32/split-k:99999999999999999999"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("float32/pairwise+pairwise"), HasSubstr("once only"));
  EXPECT_THAT(refusal("float32,fms=fused"), HasSubstr("(nearest: fma)"));
  EXPECT_THAT(refusal("float32,"), HasSubstr("unknown key"));
  EXPECT_THAT(refusal("float32,fma"), HasSubstr("needs a value"));
  EXPECT_THAT(refusal("float32,fma=fused,fma=fused"), HasSubstr("once only"));
  EXPECT_THAT(refusal("float32,fma=fsued"), HasSubstr("fused, separate (nearest: fused)"));
  EXPECT_THAT(refusal("float32/block:4,handoff=drop"), HasSubstr("keep, round"));
  EXPECT_THAT(refusal("float32/block:4,inner=int4"), HasSubstr("unknown value of inner="));
  EXPECT_THAT(refusal("int32,overflow=saturate"), HasSubstr("(nearest: saturate16)"));
  EXPECT_THAT(refusal("float32,passes=4"), HasSubstr("3, 6, 9"));
  EXPECT_THAT(refusal("float32/aligned:16,bits=-1"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("float32,inner=float32"), HasSubstr("inner= is for block:B only"));
  EXPECT_THAT(refusal("float32/pairwise,handoff=keep"), HasSubstr("for block:B only"));
  EXPECT_THAT(refusal("float32,partial=float32"), HasSubstr("for split-k:S only"));
  EXPECT_THAT(refusal("float32,bits=25"), HasSubstr("for aligned:G only"));
  EXPECT_THAT(refusal("float32,overflow=wrap"), HasSubstr("for int32 only"));
  EXPECT_THAT(refusal("int32,passes=3"), HasSubstr("for floats only"));
}

}  // namespace
}  // namespace narrowgauge
