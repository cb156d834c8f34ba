#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/precision_policy.h"
#include "tests/support/thoroughness.h"

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

// Every accumulation that a text can say, with a few sizes.
std::vector<AccumulationSpec> Accumulations() {
  const SumType e8m13 = {.kind = SumKind::kE8M13};
  const SumType bfloat16 = {.dtype = DType::kBFloat16};
  std::vector<AccumulationSpec> all;
  for (const SumType& type : {SumType(), bfloat16, SumType{.dtype = DType::kFloat8E5M2}}) {
    for (const std::int64_t block : {std::int64_t{0}, std::int64_t{1}, std::int64_t{128},
                                     std::numeric_limits<std::int64_t>::max()}) {
      for (const std::int64_t slices : {1, 4}) {
        AccumulationSpec spec = {.type = type, .block = block, .slices = slices};
        if (block != 0 && type != bfloat16) spec.inner = bfloat16;
        if (block == 128) spec.block_order = SumOrder::kPairwise;
        if (block == 1) spec.rounds_block_sums = true;
        if (slices != 1 && type == bfloat16) spec.partial = SumType();
        if (slices != 1 && type == SumType()) spec.reduce = SumType{.dtype = DType::kFloat16};
        all.push_back(spec);
        spec.separate = true;
        all.push_back(spec);
        spec.order = SumOrder::kPairwise;
        all.push_back(spec);
        spec.separate = false;
        spec.order = SumOrder::kAligned;
        spec.group = 16;
        spec.bits = 25;
        all.push_back(spec);
        if (block == 0) {
          spec.promote = 128;
          all.push_back(spec);
          spec.type = e8m13;
          spec.partial = spec.reduce = {};
          all.push_back(spec);
        } else {
          spec.inner = e8m13;
          all.push_back(spec);
        }
      }
    }
  }
  for (const IntegerOverflow overflow :
       {IntegerOverflow::kExact, IntegerOverflow::kWrap, IntegerOverflow::kSaturate16}) {
    all.push_back({.type = {.kind = SumKind::kInt32}, .overflow = overflow});
  }
  for (const int passes : {3, 6, 9}) {
    all.push_back({.type = bfloat16, .block = 8, .passes = passes, .splits_to_nearest = true});
  }
  all.push_back({.passes = 3, .parts = DType::kTf32});
  for (const HardwareModel& hardware : AllHardware()) {
    all.push_back({.hardware = &hardware});
    all.push_back({.hardware = &hardware, .passes = 3});
  }
  return all;
}

TEST(PolicyTextTest, EveryPolicyIsItsText) {
  std::vector<QuantizationSpec> operands;
  for (const std::string_view text :
       {"float32", "bfloat16", "int8/channel", "uint4/group:128,scale=float16", "mxfp4,rule=ceil",
        "float8_e4m3fn/block:128x128,method=percentile:99.9,apply=after"}) {
    operands.push_back(ParseSpec(text).value());
  }
  const std::vector<AccumulationSpec> accumulations = Accumulations();
  for (const QuantizationSpec& weights : operands) {
    for (const QuantizationSpec& activations : operands) {
      for (std::size_t i = 0; i < accumulations.size(); i += test::kStride) {
        const AccumulationSpec& accumulation = accumulations[i];
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

TEST(ParsePolicyTest, AccumulationsAreSaidInOneWay) {
  const auto canonical = [](const std::string& text) {
    return FormatPolicyBriefly(ParsePolicy("acc=" + text).value());
  };
  EXPECT_EQ(canonical("bf16/block:128,inner=f32"), "acc=bfloat16/block:128,inner=float32");
  EXPECT_EQ(canonical("bfloat16/block:128,handoff=keep,inner=float32,fma=fused"),
            "acc=bfloat16/block:128,inner=float32");
  EXPECT_EQ(canonical("float32/sequential+block:64+sequential,inner=float32"),
            "acc=float32/block:64");
  EXPECT_EQ(canonical("float32/sequential,fma=fused"), "w=float32");
  EXPECT_EQ(canonical("float32/pairwise+block:8+pairwise"),
            "acc=float32/pairwise+block:8+pairwise");
  EXPECT_EQ(canonical("float32/split-k:4+block:32,reduce=float32,partial=bfloat16"),
            "acc=float32/split-k:4+block:32,partial=bfloat16");
  EXPECT_EQ(canonical("e8m13/aligned:32,promote=128,bits=13"),
            "acc=e8m13/aligned:32,bits=13,promote=128");
  EXPECT_EQ(canonical("nvidia/h100"), "acc=nvidia/h100");
}

TEST(ParsePolicyTest, SomeAccumulationsReturnFloat32IfNothingElseIsAskedFor) {
  const auto output = [](const std::string& text) { return ParsePolicy(text).value().output; };
  EXPECT_EQ(output("acc=float16/pairwise"), DType::kFloat16);
  EXPECT_EQ(output("acc=bfloat16/split-k:2,reduce=float32"), DType::kBFloat16);
  for (const std::string text :
       {"acc=nvidia/h100-f16acc", "acc=e8m13/aligned:32,bits=13",
        "acc=float16/aligned:32,bits=13,promote=128", "acc=int32", "acc=bfloat16,passes=3"}) {
    EXPECT_EQ(output(text), DType::kFloat32) << text;
    EXPECT_EQ(output(text + " out=bfloat16"), DType::kBFloat16) << text;
  }
}

TEST(ParsePolicyTest, AccumulationsThatContradictThemselves) {
  const auto refusal = [](std::string_view text) { return Refusal("acc=" + std::string(text)); };
  for (const std::string_view text :
       {"float32/block:128+split-k:4", "float32/pairwise+sequential",
        "float32/pairwise+aligned:4,bits=24", "float32/aligned:16+block:128,bits=24",
        "float32/block:8+sequential+pairwise"}) {
    EXPECT_THAT(refusal(text),
                AllOf(HasSubstr("orders nest, the outermost first"), HasSubstr(text)));
  }
  EXPECT_THAT(refusal("float32/split-k:1"), HasSubstr("one slice is no split"));
  EXPECT_THAT(refusal("float32/aligned:16"), HasSubstr("needs bits=F"));
  EXPECT_THAT(refusal("float32/aligned:16,bits=41"), HasSubstr("40 bits at most"));
  EXPECT_THAT(refusal("float32/aligned:1025,bits=24"), HasSubstr("1024 products"));
  EXPECT_THAT(refusal("float32/aligned:16,bits=24,fma=separate"),
              HasSubstr("contradicts aligned:G"));
  EXPECT_THAT(refusal("float32/block:64+aligned:16,bits=24,promote=128"),
              HasSubstr("contradicts block:B"));
  EXPECT_THAT(refusal("float32/aligned:16,bits=24,promote=0"), HasSubstr("whole number"));
  EXPECT_THAT(refusal("float64/aligned:16,bits=24"), HasSubstr("24 bits: float64"));
  EXPECT_THAT(refusal("e8m13"), HasSubstr("e8m13/aligned:32,bits=13"));
  EXPECT_THAT(refusal("float32/block:4,inner=int32"), HasSubstr("float where floats are summed"));
  EXPECT_THAT(refusal("int32/pairwise"), HasSubstr("sums of integers have no order"));
  EXPECT_THAT(refusal("float32,passes=6,parts=tf32"),
              AllOf(HasSubstr("XLA for GPUs makes no such passes"),
                    HasSubstr("passes=9,parts=bfloat16, passes=3,parts=tf32")));
  EXPECT_THAT(refusal("tpu/v5e,passes=9"), HasSubstr("XLA for TPUs makes no such passes"));
}

TEST(ParsePolicyTest, AccumulationsThatAreNotInTheGrammar) {
  const auto refusal = [](std::string_view text) { return Refusal("acc=" + std::string(text)); };
  EXPECT_THAT(refusal("int8"), HasSubstr("unknown type to accumulate in"));
  EXPECT_THAT(refusal("nvidai/h100"), HasSubstr("(nearest: nvidia)"));
  EXPECT_THAT(refusal("h100"), HasSubstr("nvidia, amd, intel, x86, arm, tpu"));
  for (const std::string_view text : {"nvidia", "nvidia/", "nvidia/H100", "nvidia/h100/pairwise"}) {
    EXPECT_THAT(refusal(text), AllOf(HasSubstr("unknown model of hardware; expected one of"),
                                     HasSubstr("(nearest: nvidia/")))
        << text;
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
  EXPECT_THAT(refusal("float32/block:2+block:2"), HasSubstr("once only"));
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
  EXPECT_THAT(refusal("int32,fma=fused"), HasSubstr("for sums of floats in words only"));
  EXPECT_THAT(refusal("nvidia/h100,fma=fused"), HasSubstr("for sums of floats in words only"));
  EXPECT_THAT(refusal("nvidia/h100,inner=float32"), HasSubstr("for block:B only"));
  EXPECT_THAT(refusal("float32,parts=tf32"), HasSubstr("for passes=N only"));
  EXPECT_THAT(refusal("float32,passes=3,parts=float16"), HasSubstr("bfloat16, tf32"));
  EXPECT_THAT(refusal("float32,passes=3,split=chop"), HasSubstr("cut, nearest"));
}

std::string RefusalOfModel(std::string_view text) {
  const auto policy = ParsePolicy(text);
  EXPECT_TRUE(policy.has_value()) << text;
  const auto model = ModelOf(*policy);
  return model ? "" : model.error().message;
}

TEST(ModelOfTest, RefusesWhatNoEngineCanDo) {
  EXPECT_THAT(RefusalOfModel("acc=int32"),
              AllOf(HasSubstr("w= multiplies float32"), HasSubstr("w=int8/channel")));
  EXPECT_THAT(RefusalOfModel("w=int8/channel acc=int32"), HasSubstr("a= multiplies float32"));
  EXPECT_THAT(RefusalOfModel("w=int8/channel,apply=before a=int8/channel acc=int32"),
              HasSubstr("w= multiplies float32"));
  EXPECT_THAT(RefusalOfModel("w=float8_e4m3fn/channel a=int8/channel acc=int32"),
              HasSubstr("w= multiplies float8_e4m3fn"));
  EXPECT_THAT(RefusalOfModel("w=int8/input,apply=after"), HasSubstr("differ for every k"));
  EXPECT_THAT(RefusalOfModel("a=uint8/tensor,zero=float,apply=after"), HasSubstr("adds a minimum"));
  EXPECT_THAT(RefusalOfModel("w=mxfp8_e4m3 a=mxfp8_e4m3 acc=nvidia/b200"),
              AllOf(HasSubstr("inside their sums"), HasSubstr("apply=after")));
  EXPECT_THAT(RefusalOfModel("w=q8_0 a=int8/channel acc=int32"), HasSubstr("known as values only"));
  EXPECT_THAT(RefusalOfModel("w=int8/channel,like=qwix,apply=after"),
              HasSubstr("known as values only"));
  EXPECT_THAT(RefusalOfModel("w=bfloat16 a=bfloat16 acc=float32,passes=3"),
              HasSubstr("splits factors of float32"));
  EXPECT_THAT(RefusalOfModel("acc=x86/vpmaddubsw,passes=3"), HasSubstr("uint8 with int8: parts="));
  EXPECT_THAT(RefusalOfModel("w=int8/channel a=bfloat16 acc=nvidia/a100"),
              HasSubstr("float16, bfloat16, tf32, int8: a=bfloat16 w=int8"));
}

TEST(ModelOfTest, CodesAreMultipliedWhereIntegersOrHardwareSum) {
  const auto factors = [](std::string_view text) {
    const Factors types = FactorsOf(ParsePolicy(text).value());
    return std::pair(types.x, types.w);
  };
  const auto both = [](DType dtype) { return std::pair(dtype, dtype); };
  EXPECT_EQ(factors("w=int8/channel a=int8/channel"), both(DType::kFloat32));
  EXPECT_EQ(factors("w=int8/channel,apply=after a=int8/channel,apply=after"), both(DType::kInt8));
  EXPECT_EQ(factors("w=int8/channel a=int8/channel acc=int32"), both(DType::kInt8));
  EXPECT_EQ(factors("w=mxfp4 a=mxfp4 acc=nvidia/b200"), both(DType::kFloat4E2M1Fn));
  EXPECT_EQ(factors("w=mxfp4,apply=before a=bfloat16 acc=nvidia/b200"),
            std::pair(DType::kBFloat16, DType::kFloat32));
  for (const std::string_view text :
       {"w=int8/channel a=int8/channel acc=int32", "w=int8/channel a=uint8/channel acc=int32",
        "w=int4/group:32 a=int8/channel acc=int32,overflow=wrap",
        "w=int8/channel a=uint8/channel acc=x86/vpmaddubsw", "w=mxint8 a=mxint8 acc=int32",
        "w=float8_e5m2/channel a=float8_e4m3fn/channel acc=nvidia/h100",
        "w=int8/channel,apply=after a=float16", "acc=float32,passes=9", "acc=tpu/v4,passes=6"}) {
    EXPECT_EQ(RefusalOfModel(text), "") << text;
  }
}

}  // namespace
}  // namespace narrowgauge
