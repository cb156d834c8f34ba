#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/convention.h"
#include "narrowgauge/quantization.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

QuantizationSpec Parsed(std::string_view text) {
  const auto spec = ParseSpec(text);
  EXPECT_TRUE(spec.has_value()) << text << ": " << spec.error().message;
  return spec.value_or(QuantizationSpec{});
}

// Returns the canonical form of a text.
std::string Canonical(std::string_view text) { return FormatSpec(Parsed(text)); }

std::string Refusal(std::string_view text) {
  const auto spec = ParseSpec(text);
  if (spec) return "accepted as " + FormatSpec(*spec);
  EXPECT_EQ(spec.error().code, StatusCode::kInvalidArgument);
  return spec.error().message;
}

// ---- Lossless both ways ----------------------------------------------------------------------

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

const std::vector<QuantizationGranularity>& Granularities() {
  using Kind = GranularityKind;
  static const std::vector<QuantizationGranularity> all = {
      {},
      {.kind = Kind::kTensor},
      {.kind = Kind::kChannel},
      {.kind = Kind::kInput},
      {.kind = Kind::kGroup, .rows = 1},
      {.kind = Kind::kGroup, .rows = kHuge},
      {.kind = Kind::kBlock, .rows = 128, .columns = 1},
      {.kind = Kind::kBlock, .rows = kHuge, .columns = kHuge}};
  return all;
}

// Every spec of one format and granularity, contradictory ones included.
template <typename Visit>
void ForEachVariant(const QuantizationSpec& start, Visit visit) {
  struct Method {
    RangeMethod method;
    double percentile;
  };
  constexpr Method kMethods[] = {
      {RangeMethod::kAbsmax, 100},           {RangeMethod::kMse, 100},
      {RangeMethod::kPercentile, 100},       {RangeMethod::kPercentile, 99.9},
      {RangeMethod::kPercentile, 0.1 + 0.2}, {RangeMethod::kPercentile, 4.9406564584124654e-324}};
  QuantizationSpec spec = start;
  for (const DType scale_dtype : AllDTypes()) {
    spec.scale_dtype = scale_dtype;
    for (const auto range : {ScaleRange::kNarrow, ScaleRange::kMiddle, ScaleRange::kFull}) {
      spec.range = range;
      for (const auto zero : {ZeroPoint::kNone, ZeroPoint::kInteger, ZeroPoint::kFloat}) {
        spec.zero_point = zero;
        if (!ValidateSpec(spec)) continue;  // The rest cannot mend it.
        for (const Method& method : kMethods) {
          spec.method = method.method;
          spec.percentile = method.percentile;
          for (const auto rounding : {RoundingMode::kNearestEven, RoundingMode::kNearestAway,
                                      RoundingMode::kTowardZero, RoundingMode::kStochastic}) {
            spec.rounding = rounding;
            for (const auto overflow : {OverflowMode::kNative, OverflowMode::kSaturate}) {
              spec.overflow = overflow;
              for (const auto rule : {MxScaleRule::kFloor, MxScaleRule::kCeil, MxScaleRule::kRceil,
                                      MxScaleRule::kNearest}) {
                spec.rule = rule;
                for (const auto use : {ScaleUse::kDefault, ScaleUse::kBefore, ScaleUse::kAfter}) {
                  spec.scale_use = use;
                  visit(spec);
                }
              }
            }
          }
        }
        spec = start;
        spec.scale_dtype = scale_dtype;
        spec.range = range;
      }
    }
  }
}

TEST(SpecTextTest, EveryValidSpecIsItsText) {
  std::int64_t count = 0;
  const auto check = [&count](const QuantizationSpec& spec) {
    if (!ValidateSpec(spec)) return;
    ++count;
    const std::string text = FormatSpec(spec);
    const auto again = ParseSpec(text);
    ASSERT_TRUE(again.has_value()) << text << ": " << again.error().message;
    ASSERT_EQ(*again, spec) << text;
  };
  for (const DType dtype : AllDTypes()) {
    for (const QuantizationGranularity& granularity : Granularities()) {
      ForEachVariant(MakeSpec(dtype, granularity), check);
    }
  }
  for (const BlockFormat format : AllBlockFormats()) ForEachVariant(MakeSpec(format), check);
  EXPECT_GT(count, 50'000);
}

// Row by row what the table of conventions says of itself can be read and is lossless, too.
TEST(SpecTextTest, EveryConventionIsItsText) {
  for (const Convention& convention : AllConventions()) {
    const std::string name = ConventionName(convention);
    const QuantizationSpec row = Parsed(convention.spec);
    const std::string format = FormatSpec(row);
    const QuantizationSpec like =
        Parsed(format.substr(0, format.find_first_of("/,")) + ",like=" + name);
    EXPECT_EQ(like.convention, &convention) << name;
    EXPECT_EQ(like.granularity, row.granularity) << name;
    EXPECT_EQ(like.zero_point, row.zero_point) << name;
    EXPECT_EQ(Parsed(FormatSpec(like)), like) << name;
  }
}

TEST(SpecTextTest, EveryNameAndAliasOfOneFormatIsAccepted) {
  const auto expect = [](std::string_view word, std::string_view name) {
    const std::string refusal = Refusal(word);
    if (refusal.find("more than one format") != std::string::npos) {
      EXPECT_THAT(refusal, HasSubstr(name));
    } else if (refusal.find("needs a scale") == std::string::npos &&
               refusal.find("for scales") == std::string::npos) {
      EXPECT_EQ(Canonical(word), name);
    }
  };
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    expect(info.name, info.name);
    for (const std::string_view alias : info.aliases) {
      if (!alias.empty()) expect(alias, info.name);
    }
  }
  for (const BlockFormat format : AllBlockFormats()) {
    const BlockFormatInfo& info = GetBlockFormatInfo(format);
    expect(info.name, info.name);
    for (const std::string_view alias : info.aliases) {
      if (!alias.empty()) expect(alias, info.name);
    }
  }
}

// ---- What texts mean -------------------------------------------------------------------------

TEST(FormatSpecTest, DefaultsAreLeftOut) {
  EXPECT_EQ(Canonical("bf16"), "bfloat16");
  EXPECT_EQ(Canonical("i8/channel,range=127,zero=none,method=absmax,round=even,scale=float32"),
            "int8/channel");
  EXPECT_EQ(Canonical("bfloat16,overflow=native"), "bfloat16");
  EXPECT_EQ(Canonical("e4m3fn/tensor,overflow=saturate"), "float8_e4m3fn/tensor");
  EXPECT_EQ(Canonical("uint4/group:32,zero=int"), "uint4/group:32");
  EXPECT_EQ(Canonical("mxfp4,rule=floor"), "mxfp4");
}

TEST(FormatSpecTest, KeysAreInOneOrder) {
  EXPECT_EQ(Canonical("int4/group:032,apply=after,round=away,method=percentile:99.90,range=127.5,"
                      "scale=float16"),
            "int4/group:32,scale=float16,range=127.5,method=percentile:99.9,round=away,"
            "apply=after");
  EXPECT_EQ(Canonical("float8_e5m2/block:128x64,overflow=native,round=stochastic"),
            "float8_e5m2/block:128x64,round=stochastic,overflow=native");
  EXPECT_EQ(Canonical("uint4/group:32,zero=float,scale=bfloat16"),
            "uint4/group:32,scale=bfloat16,zero=float");
}

TEST(FormatSpecTest, PercentilesInTheFewestDigits) {
  EXPECT_EQ(Canonical("int8/tensor,method=percentile:99.99000000000000"),
            "int8/tensor,method=percentile:99.99");
  EXPECT_EQ(Canonical("int8/tensor,method=percentile:1e2"), "int8/tensor,method=percentile:100");
  EXPECT_EQ(Canonical("int8/tensor,method=percentile:0.30000000000000004"),
            "int8/tensor,method=percentile:0.30000000000000004");
}

TEST(FormatSpecTest, NamesTheConvention) {
  const Convention convention = {.ecosystem = "house",
                                 .scheme = "int4",
                                 .package = {},
                                 .source = {},
                                 .spec = "int4/group:64,range=127.5",
                                 .words = {}};
  QuantizationSpec spec = Parsed(convention.spec);
  spec.convention = &convention;
  EXPECT_EQ(FormatSpec(spec), "int4/group:64,like=house/int4");
  spec.granularity.rows = 32;
  spec.scale_dtype = DType::kFloat16;
  EXPECT_EQ(FormatSpec(spec), "int4/group:32,scale=float16,like=house/int4");
}

TEST(ParseSpecTest, Fields) {
  const QuantizationSpec spec =
      Parsed("int8/block:64x32,scale=float16,range=128,method=mse,round=zero,apply=before");
  EXPECT_EQ(spec.dtype, DType::kInt8);
  EXPECT_EQ(spec.granularity, (QuantizationGranularity{GranularityKind::kBlock, 64, 32}));
  EXPECT_EQ(spec.scale_dtype, DType::kFloat16);
  EXPECT_EQ(spec.range, ScaleRange::kFull);
  EXPECT_EQ(spec.zero_point, ZeroPoint::kNone);
  EXPECT_EQ(spec.method, RangeMethod::kMse);
  EXPECT_EQ(spec.rounding, RoundingMode::kTowardZero);
  EXPECT_EQ(spec.overflow, OverflowMode::kSaturate);
  EXPECT_EQ(spec.scale_use, ScaleUse::kBefore);
  EXPECT_EQ(Parsed("mxfp4,rule=nearest").rule, MxScaleRule::kNearest);
  EXPECT_EQ(Parsed("mxfp4").block_format, BlockFormat::kMxFp4);
}

// ---- What is refused -------------------------------------------------------------------------

TEST(ParseSpecTest, Formats) {
  EXPECT_THAT(Refusal(""), HasSubstr("FORMAT"));
  EXPECT_THAT(Refusal("bfloat15"), AllOf(HasSubstr("unknown format; expected one of"),
                                         HasSubstr("(nearest: bfloat16)"), HasSubstr("q5_1")));
  EXPECT_THAT(Refusal("e4m3/tensor"),
              AllOf(HasSubstr("float8_e4m3fn or float8_e4m3"), HasSubstr("\"e4m3\"")));
  EXPECT_THAT(Refusal("mxfp8"), HasSubstr("mxfp8_e4m3 or mxfp8_e5m2"));
  EXPECT_THAT(Refusal("int8"), HasSubstr("int8/channel"));
}

TEST(ParseSpecTest, GranularitiesAreRefused) {
  EXPECT_THAT(Refusal("int8/chanel"), AllOf(HasSubstr("unknown granularity"),
                                            HasSubstr("tensor, channel, input, group, block"),
                                            HasSubstr("(nearest: channel): \"chanel\"")));
  EXPECT_THAT(Refusal("int8/"), HasSubstr("unknown granularity"));
  EXPECT_THAT(Refusal("int8/channel/tensor"), HasSubstr("unknown granularity"));
  EXPECT_THAT(Refusal("int8/channel:4"), HasSubstr("takes no size"));
  EXPECT_THAT(Refusal("int8/group"), HasSubstr("group:128"));
  for (const std::string_view size :
       {"", "0", "-1", "+1", " 1", "1 ", "1.5", "0x10", "9223372036854775808", "1e3", "12a"}) {
    EXPECT_THAT(Refusal("int8/group:" + std::string(size)),
                HasSubstr("whole number from 1 to 9223372036854775807"))
        << size;
    EXPECT_THAT(Refusal("int8/block:4x" + std::string(size)), HasSubstr("along N")) << size;
  }
  EXPECT_THAT(Refusal("int8/block:0x4"), HasSubstr("along K"));
  EXPECT_THAT(Refusal("int8/block:4"), HasSubstr("block:128x128"));
  EXPECT_THAT(Refusal("int8/block"), HasSubstr("block:128x128"));
  EXPECT_THAT(Refusal("mxfp4/group:32"), HasSubstr("its own blocks"));
}

TEST(ParseSpecTest, KeysAreRefused) {
  EXPECT_THAT(Refusal("int8/channel,rond=even"),
              AllOf(HasSubstr("unknown key; expected one of scale, range"),
                    HasSubstr("(nearest: round): \"rond\"")));
  EXPECT_THAT(Refusal("int8/channel,"), HasSubstr("unknown key"));
  EXPECT_THAT(Refusal("int8/channel,=even"), HasSubstr("unknown key"));
  EXPECT_THAT(Refusal("int8/channel,round"), HasSubstr("needs a value"));
  EXPECT_THAT(Refusal("int8/channel,round="), HasSubstr("needs a value"));
  EXPECT_THAT(Refusal("int8/channel,round=even,round=even"), HasSubstr("once only"));
}

TEST(ParseSpecTest, ValuesAreRefused) {
  EXPECT_THAT(Refusal("int8/channel,round=evne"),
              AllOf(HasSubstr("unknown value of round=; expected one of even, away"),
                    HasSubstr("(nearest: even)")));
  EXPECT_THAT(Refusal("int8/channel,range=127.0"), HasSubstr("127, 127.5, 128"));
  EXPECT_THAT(Refusal("int8/channel,zero=integer"), HasSubstr("none, int, float"));
  EXPECT_THAT(Refusal("int8/channel,overflow=wrap"), HasSubstr("native, saturate"));
  EXPECT_THAT(Refusal("mxfp4,rule=even"), HasSubstr("floor, ceil, rceil, nearest"));
  EXPECT_THAT(Refusal("int8/channel,apply=never"), HasSubstr("before, after"));
  EXPECT_THAT(Refusal("int8/channel,scale=int8"),
              HasSubstr("float32, bfloat16, float16, float8_e8m0fnu, float8_e4m3fn"));
  EXPECT_THAT(Refusal("int8/channel,scale=flaot16"), HasSubstr("(nearest: float16)"));
  EXPECT_THAT(Refusal("int8/channel,method=absmax:1"), HasSubstr("takes no number"));
  EXPECT_THAT(Refusal("int8/channel,method=max"), HasSubstr("absmax, percentile, mse"));
  EXPECT_THAT(Refusal("int8/channel,like=nobody"), HasSubstr("\"nobody\""));
  // Nor can it be had with scales of another type.
  EXPECT_THAT(Refusal("int8/channel,scale=bfloat16,like=qwix"),
              HasSubstr("leave out \"scale=bfloat16\""));
  for (const std::string_view percentile :
       {"", ":", ":0", ":-1", ":100.1", ":nan", ":inf", ":1e400", ":1e-400", ":99%", ":0x1p3"}) {
    EXPECT_THAT(Refusal("int8/channel,method=percentile" + std::string(percentile)),
                HasSubstr("above 0 and up to 100"))
        << percentile;
  }
}

TEST(ParseSpecTest, KeysThatSayNothingAreRefusedAlsoWithTheirDefault) {
  EXPECT_THAT(Refusal("bfloat16,scale=float32"), HasSubstr("needs a scale"));
  EXPECT_THAT(Refusal("bfloat16,method=absmax"), HasSubstr("needs a scale"));
  EXPECT_THAT(Refusal("bfloat16,range=127"), HasSubstr("for integers"));
  EXPECT_THAT(Refusal("bfloat16,zero=none"), HasSubstr("no zero point"));
  EXPECT_THAT(Refusal("int8/tensor,rule=floor"), HasSubstr("for MX formats"));
  EXPECT_THAT(Refusal("int8/tensor,overflow=saturate"), HasSubstr("always saturate"));
  EXPECT_THAT(Refusal("uint8/tensor,range=127"), HasSubstr("zero=none"));
  EXPECT_THAT(Refusal("nvfp4,rule=floor"), HasSubstr("takes only round="));
  EXPECT_THAT(Refusal("q4_0,round=even"), HasSubstr("takes only like="));
  EXPECT_THAT(Refusal("uint4/group:32,zero=none"), HasSubstr("zero=int or zero=float"));
}

}  // namespace
}  // namespace narrowgauge
