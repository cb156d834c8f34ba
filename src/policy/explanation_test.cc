#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "narrowgauge/convention.h"
#include "narrowgauge/precision_policy.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Explained(std::string_view spec) { return ExplainSpec(ParseSpec(spec).value()); }

TEST(ExplainSpecTest, Casts) {
  EXPECT_EQ(Explained("float8_e4m3fn"),
            "float8_e4m3fn without a scale; rounded to nearest, ties to even, NaN beyond 448.");
  EXPECT_EQ(Explained("float16,round=stochastic"),
            "float16 without a scale; rounded at random so that the mean is exact, infinite beyond "
            "65504.");
  EXPECT_EQ(Explained("float8_e5m2,round=away,overflow=saturate"),
            "float8_e5m2 without a scale; rounded to nearest, ties away from zero, saturating at "
            "57344.");
  EXPECT_THAT(Explained("float4_e2m1fn"), EndsWith("saturating at 6."));
  EXPECT_THAT(Explained("float32"), HasSubstr("wider values are rounded"));
}

TEST(ExplainSpecTest, SignedIntegers) {
  EXPECT_EQ(Explained("int4/group:32"),
            "int4 codes -7 to 7, one float32 scale per 32 consecutive k of an output channel "
            "(group:32). Scale = max|w| / 7, rounded to float32. Code = w / scale, rounded to "
            "nearest, ties to even, then clipped; value = code * scale. A group of zeros keeps "
            "scale 1 and codes 0. Where a scale underflows to 0, values are 0.");
  EXPECT_THAT(Explained("int8/tensor,range=127.5"),
              AllOf(HasSubstr("codes -128 to 127"), HasSubstr("for the whole matrix"),
                    HasSubstr("max|w| / 127.5,")));
  EXPECT_THAT(Explained("int8/input,range=128,round=zero"),
              AllOf(HasSubstr("codes -128 to 127"), HasSubstr("per k (input)"),
                    HasSubstr("max|w| / 128,"), HasSubstr("rounded toward zero")));
  EXPECT_THAT(Explained("int8/channel,method=percentile:99.9"),
              HasSubstr("Scale = (what 99.9% of |w| do not exceed) / 127"));
  EXPECT_THAT(Explained("int8/channel,method=mse"), HasSubstr("the best of 64 shrunk ranges"));
}

TEST(ExplainSpecTest, ZeroPoints) {
  EXPECT_THAT(
      Explained("int4/channel,zero=int"),
      AllOf(HasSubstr("codes -8 to 7"), HasSubstr("Scale = (max w - min w, 0 counted) / 15,"),
            HasSubstr("Zero point = -8 - min / scale"),
            HasSubstr("value = (code - zero point) * scale"),
            HasSubstr("zero point and codes -8")));
  EXPECT_THAT(Explained("uint4/channel,zero=float,scale=bfloat16"),
              AllOf(HasSubstr("codes 0 to 15"), HasSubstr("Scale = (max w - min w) / 15,"),
                    HasSubstr("The minimum is kept in bfloat16"),
                    HasSubstr("value = code * scale + minimum")));
}

TEST(ExplainSpecTest, ScaleDTypes) {
  EXPECT_THAT(Explained("float8_e4m3fn/channel,scale=float8_e8m0fnu"),
              AllOf(HasSubstr("max|w| / 448, rounded up to a power of two"),
                    HasSubstr("saturating at 448"), Not(HasSubstr("underflows"))));
  EXPECT_THAT(Explained("int4/group:16,scale=float8_e4m3fn"),
              HasSubstr("rounded to float8_e4m3fn, 448 at most"));
}

TEST(ExplainSpecTest, BlockFormats) {
  EXPECT_EQ(Explained("mxfp4"),
            "mxfp4: blocks of 32 consecutive k of an output channel, with codes of 4 bits and a "
            "float8_e8m0fnu scale each. Scale = 2^(floor(log2 max|w|) - 2), as OCP MX 1.0 has it. "
            "Code = w / scale, rounded to nearest, ties to even, saturating at 6; value = code * "
            "scale. A block of zeros keeps scale 1 and codes 0.");
  EXPECT_THAT(Explained("mxfp8_e4m3,rule=ceil"), HasSubstr("2^(ceil(log2 max|w|) - 8)"));
  EXPECT_THAT(Explained("mxfp8_e5m2,rule=rceil"), HasSubstr("2^ceil(log2(max|w| / 57344))"));
  EXPECT_THAT(Explained("mxint8,rule=nearest"),
              AllOf(HasSubstr("2^(round(log2 max|w|) - 0)"), HasSubstr("Code = 64 * w / scale")));
  EXPECT_THAT(Explained("nvfp4"),
              AllOf(HasSubstr("max|w| / (6 * 448)"), HasSubstr("saturating at 6")));
  EXPECT_THAT(Explained("q5_1"), AllOf(HasSubstr("codes of 5 bits and a float16 scale and minimum"),
                                       HasSubstr("quantize_row_q5_1_ref")));
}

TEST(ExplainSpecTest, WhereScalesEnter) {
  EXPECT_THAT(Explained("int8/channel,apply=before"), EndsWith("before the product."));
  EXPECT_THAT(Explained("nvfp4,apply=after"), EndsWith("the sum of each group is scaled."));
}

TEST(ExplainSpecTest, ConventionsSpeakForThemselves) {
  const Convention convention = {.ecosystem = "house",
                                 .scheme = "int8",
                                 .package = "house 1.2",
                                 .source = {},
                                 .evidence = Evidence::kSource,
                                 .spec = "int8/channel",
                                 .words = "Scale = max|w| / 100."};
  QuantizationSpec spec = ParseSpec("int8/channel").value();
  spec.convention = &convention;
  EXPECT_EQ(ExplainSpec(spec),
            "int8 codes, one float32 scale per output channel (channel). As house 1.2 has it "
            "(house/int8; read in its source, not run): Scale = max|w| / 100.");
}

TEST(ExplainPolicyTest, PartByPart) {
  EXPECT_EQ(ExplainPolicy(ParsePolicy("w=bf16 a=bf16 out=bfloat16").value()),
            "Weights: bfloat16 without a scale; rounded to nearest, ties to even, infinite beyond "
            "3.38953e+38. Activations: bfloat16 without a scale; rounded to nearest, ties to even, "
            "infinite beyond 3.38953e+38. Accumulates in float32, one product after another. "
            "Returns bfloat16, rounded once. As a dot algorithm: one of BF16_BF16_F32/stablehlo, "
            "BF16_BF16_F32/xla-gpu.");
  EXPECT_THAT(ExplainPolicy(ParsePolicy("a=int8/group:32").value()),
              AllOf(HasSubstr("Activations: int8 codes"), HasSubstr("of a row m (group:32)"),
                    HasSubstr("max|x| / 127"), EndsWith("Returns float32.")));
  EXPECT_THAT(
      ExplainPolicy(ParsePolicy("acc=bfloat16/block:128,inner=float32 out=float32").value()),
      EndsWith("Accumulates in float32 inside blocks of 128 consecutive k, each begun at zero, one "
               "product after another, and in bfloat16 between blocks, one after another. Returns "
               "float32."));
}

TEST(ExplainPolicyTest, AccumulationsInAllTheirWords) {
  const auto words = [](const std::string& text) {
    const std::string all = ExplainPolicy(ParsePolicy("acc=" + text).value());
    return all.substr(all.find(" Accumulates ") + 1);
  };
  EXPECT_EQ(
      words("bfloat16/pairwise,fma=separate"),
      "Accumulates in bfloat16, in a tree of halves, products rounded first. Returns bfloat16.");
  EXPECT_EQ(
      words("e8m13/aligned:32,bits=13,promote=128"),
      "Accumulates in 13 mantissa bits (e8m13, cut), 32 products at a time, each cut to 13 bits "
      "below the largest exponent of its group, into float32 and anew after every 128 k. "
      "Returns float32.");
  EXPECT_EQ(
      words("float32/split-k:4+pairwise+block:8,inner=float16,handoff=round,partial=bfloat16"),
      "Accumulates in float16 inside blocks of 8 consecutive k, each begun at zero, one product "
      "after another, and in float32 between blocks, in a tree of halves, block sums rounded to "
      "it first; so in each of 4 slices of k, whose sums are rounded to bfloat16 and added in "
      "float32. Returns float32.");
  EXPECT_EQ(words("float32,passes=3,parts=tf32"),
            "Accumulates in float32, one product after another. So in 3 passes over parts of the "
            "factors, each cut to tf32; the passes are added in float32, the least first. Returns "
            "float32. As a dot algorithm: one of TF32_TF32_F32_X3/stablehlo, "
            "TF32_TF32_F32_X3/xla-gpu.");
  EXPECT_THAT(words("nvidia/h100,passes=3"),
              AllOf(HasSubstr("Its model for bfloat16 is checked against captured results ("),
                    HasSubstr("So in 3 passes over parts of the factors, each cut to bfloat16")));
  EXPECT_THAT(words("nvidia/a100 w=bfloat16 a=bfloat16"),
              AllOf(StartsWith("Accumulates as nvidia/a100: Ampere's tensor cores"),
                    HasSubstr("Its model for bfloat16 is checked against captured results (")));
}

TEST(ExplainPolicyTest, IntegersSayWhatOverflowsAndWhereScalesEnter) {
  const auto words = [](const std::string& acc) {
    return ExplainPolicy(ParsePolicy("w=int8/channel a=uint8/channel acc=" + acc).value());
  };
  constexpr std::string_view kAfter =
      "Its codes enter the product, and the sum of each group is scaled. ";
  for (const std::string acc :
       {"int32", "int32,overflow=wrap", "int32,overflow=saturate16", "x86/vpmaddubsw"}) {
    EXPECT_THAT(words(acc), HasSubstr(std::string(kAfter) + "Activations: ")) << acc;
  }
  EXPECT_THAT(words("int32"), HasSubstr("Adds the products of codes as integers, exactly."));
  EXPECT_THAT(words("int32,overflow=wrap"), HasSubstr("as integers, modulo 2^32."));
  EXPECT_THAT(words("int32,overflow=saturate16"), HasSubstr("are clipped to 16 bits"));
  EXPECT_THAT(words("x86/vpmaddubsw"), HasSubstr("Its model for uint8 with int8 is checked"));
  EXPECT_THAT(words("float32"), Not(HasSubstr(kAfter)));
}

TEST(ExplainPolicyTest, EveryNamedPolicyHasItsWords) {
  for (const Preset& preset : AllPresets()) {
    for (const NamedPolicy& named : preset.policies()) {
      const std::string words = ExplainPolicy(named.policy);
      EXPECT_THAT(words, AllOf(StartsWith("Weights: "), HasSubstr(" Activations: "),
                               HasSubstr(" Accumulates "), HasSubstr(" Returns "), EndsWith("."),
                               Not(HasSubstr("  "))))
          << named.name;
    }
  }
}

}  // namespace
}  // namespace narrowgauge
