#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "narrowgauge/convention.h"
#include "narrowgauge/quantization.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr QuantizationGranularity kTensor = {.kind = GranularityKind::kTensor};
constexpr QuantizationGranularity kChannel = {.kind = GranularityKind::kChannel};
constexpr QuantizationGranularity kGroup = {.kind = GranularityKind::kGroup, .rows = 32};

// Returns a spec with one field changed.
template <typename T>
QuantizationSpec With(QuantizationSpec spec, T QuantizationSpec::*field, T value) {
  spec.*field = value;
  return spec;
}

std::string Refusal(const QuantizationSpec& spec) {
  const auto valid = ValidateSpec(spec);
  if (valid) return "valid";
  EXPECT_EQ(valid.error().code, StatusCode::kInvalidArgument);
  return valid.error().message;
}

TEST(MakeSpecTest, ScaledFormatsSaturateAndCastsOverflowNatively) {
  EXPECT_EQ(MakeSpec(DType::kFloat16).overflow, OverflowMode::kNative);
  EXPECT_EQ(MakeSpec(DType::kFloat16, kTensor).overflow, OverflowMode::kSaturate);
  EXPECT_EQ(MakeSpec(DType::kInt8, kTensor).overflow, OverflowMode::kSaturate);
  EXPECT_EQ(MakeSpec(BlockFormat::kMxFp4).overflow, OverflowMode::kSaturate);
}

TEST(MakeSpecTest, UnsignedIntegersHaveAnIntegerZeroPoint) {
  EXPECT_EQ(MakeSpec(DType::kUint4, kChannel).zero_point, ZeroPoint::kInteger);
  EXPECT_EQ(MakeSpec(DType::kInt4, kChannel).zero_point, ZeroPoint::kNone);
}

TEST(ValidateSpecTest, DefaultsAreValid) {
  EXPECT_EQ(Refusal({}), "valid");
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    const bool is_float_with_zero = info.kind == DTypeKind::kFloat && info.has_zero;
    EXPECT_EQ(Refusal(MakeSpec(dtype)) == "valid", is_float_with_zero) << info.name;
    const bool can_be_scaled = info.has_zero && info.total_bits <= 16;
    EXPECT_EQ(Refusal(MakeSpec(dtype, kGroup)) == "valid", can_be_scaled) << info.name;
  }
  for (const BlockFormat format : AllBlockFormats()) {
    EXPECT_EQ(Refusal(MakeSpec(format)), "valid") << GetBlockFormatInfo(format).name;
  }
}

TEST(ValidateSpecTest, IntegersNeedAScale) {
  EXPECT_THAT(
      Refusal(MakeSpec(DType::kInt8)),
      AllOf(HasSubstr("needs a scale"), HasSubstr("int8/channel"), HasSubstr("int8/group:G")));
}

TEST(ValidateSpecTest, WideFormatsTakeNoScale) {
  for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kTf32}) {
    EXPECT_THAT(Refusal(MakeSpec(dtype, kTensor)), HasSubstr("16 bits or fewer"));
  }
}

TEST(ValidateSpecTest, ScaleFormatsAreNoElements) {
  EXPECT_THAT(Refusal(MakeSpec(DType::kFloat8E8M0Fnu)), HasSubstr("for scales"));
  EXPECT_THAT(Refusal(MakeSpec(DType::kFloat8E8M0Fnu, kTensor)), HasSubstr("for scales"));
}

TEST(ValidateSpecTest, CastsTakeNoKeysOfScales) {
  const QuantizationSpec cast = MakeSpec(DType::kBFloat16);
  using Spec = QuantizationSpec;
  EXPECT_THAT(Refusal(With(cast, &Spec::scale_dtype, DType::kFloat16)),
              AllOf(HasSubstr("scale= needs a scale"), HasSubstr("bfloat16/channel")));
  EXPECT_THAT(Refusal(With(cast, &Spec::method, RangeMethod::kMse)),
              HasSubstr("method= needs a scale"));
  EXPECT_THAT(Refusal(With(cast, &Spec::scale_use, ScaleUse::kAfter)),
              HasSubstr("apply= needs a scale"));
  const Convention convention;
  EXPECT_THAT(Refusal(With(cast, &Spec::convention, &convention)),
              HasSubstr("like= needs a scale"));
  EXPECT_EQ(Refusal(With(cast, &Spec::rounding, RoundingMode::kStochastic)), "valid");
  EXPECT_EQ(Refusal(With(cast, &Spec::overflow, OverflowMode::kSaturate)), "valid");
}

TEST(ValidateSpecTest, FloatsHaveNoZeroPointAndNoRange) {
  const QuantizationSpec scaled = MakeSpec(DType::kFloat8E4M3Fn, kChannel);
  EXPECT_THAT(Refusal(With(scaled, &QuantizationSpec::zero_point, ZeroPoint::kInteger)),
              HasSubstr("floats have no zero point"));
  EXPECT_THAT(Refusal(With(scaled, &QuantizationSpec::range, ScaleRange::kFull)),
              HasSubstr("range= is for integers"));
  EXPECT_EQ(Refusal(With(scaled, &QuantizationSpec::overflow, OverflowMode::kNative)), "valid");
}

TEST(ValidateSpecTest, IntegersAlwaysSaturate) {
  EXPECT_THAT(Refusal(With(MakeSpec(DType::kInt8, kTensor), &QuantizationSpec::overflow,
                           OverflowMode::kNative)),
              HasSubstr("integers always saturate"));
}

TEST(ValidateSpecTest, ZeroPointsGoWithTheCodes) {
  const auto zero = &QuantizationSpec::zero_point;
  EXPECT_THAT(Refusal(With(MakeSpec(DType::kUint4, kGroup), zero, ZeroPoint::kNone)),
              HasSubstr("zero=int or zero=float"));
  EXPECT_THAT(Refusal(With(MakeSpec(DType::kInt4, kGroup), zero, ZeroPoint::kFloat)),
              HasSubstr("write uint4"));
  EXPECT_EQ(Refusal(With(MakeSpec(DType::kInt4, kGroup), zero, ZeroPoint::kInteger)), "valid");
  EXPECT_EQ(Refusal(With(MakeSpec(DType::kUint4, kGroup), zero, ZeroPoint::kFloat)), "valid");

  QuantizationSpec minimum_without_sign = MakeSpec(DType::kUint4, kGroup);
  minimum_without_sign.zero_point = ZeroPoint::kFloat;
  minimum_without_sign.scale_dtype = DType::kFloat8E8M0Fnu;
  EXPECT_THAT(Refusal(minimum_without_sign), HasSubstr("must have a sign"));

  EXPECT_THAT(
      Refusal(With(MakeSpec(DType::kUint4, kGroup), &QuantizationSpec::range, ScaleRange::kFull)),
      HasSubstr("range= is for zero=none"));
}

TEST(ValidateSpecTest, ScaleDTypes) {
  for (const DType dtype : AllDTypes()) {
    const bool is_accepted = dtype == DType::kFloat32 || dtype == DType::kBFloat16 ||
                             dtype == DType::kFloat16 || dtype == DType::kFloat8E8M0Fnu ||
                             dtype == DType::kFloat8E4M3Fn;
    EXPECT_EQ(Refusal(With(MakeSpec(DType::kInt8, kTensor), &QuantizationSpec::scale_dtype,
                           dtype)) == "valid",
              is_accepted)
        << DTypeName(dtype);
  }
}

TEST(ValidateSpecTest, Percentiles) {
  QuantizationSpec spec = MakeSpec(DType::kInt8, kTensor);
  spec.method = RangeMethod::kPercentile;
  for (const double percentile : {100.0, 99.9, std::numeric_limits<double>::denorm_min()}) {
    spec.percentile = percentile;
    EXPECT_EQ(Refusal(spec), "valid") << percentile;
  }
  for (const double percentile :
       {0.0, -0.0, -1.0, 100.00000000000001, std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    spec.percentile = percentile;
    EXPECT_THAT(Refusal(spec), HasSubstr("above 0 and up to 100")) << percentile;
  }
  spec.method = RangeMethod::kAbsmax;
  spec.percentile = 99;
  EXPECT_THAT(Refusal(spec), HasSubstr("method=percentile only"));
}

TEST(ValidateSpecTest, SizesOfGranularities) {
  using Kind = GranularityKind;
  for (const QuantizationGranularity granularity :
       {QuantizationGranularity{Kind::kGroup, 0, 0}, QuantizationGranularity{Kind::kGroup, -1, 0},
        QuantizationGranularity{Kind::kGroup, 8, 8}, QuantizationGranularity{Kind::kBlock, 8, 0},
        QuantizationGranularity{Kind::kBlock, 0, 8}, QuantizationGranularity{Kind::kChannel, 1, 0},
        QuantizationGranularity{Kind::kTensor, 0, 1}}) {
    EXPECT_THAT(Refusal(MakeSpec(DType::kInt8, granularity)), HasSubstr("1 or more"));
  }
}

TEST(ValidateSpecTest, BlockFormatsTakeFewKeys) {
  using Spec = QuantizationSpec;
  const Spec mx = MakeSpec(BlockFormat::kMxFp4);
  const Spec nvfp4 = MakeSpec(BlockFormat::kNvFp4);
  const Spec ggml = MakeSpec(BlockFormat::kQ8_0);

  EXPECT_EQ(Refusal(With(mx, &Spec::rule, MxScaleRule::kRceil)), "valid");
  EXPECT_THAT(Refusal(With(nvfp4, &Spec::rule, MxScaleRule::kRceil)), HasSubstr("nvfp4"));
  EXPECT_THAT(Refusal(With(ggml, &Spec::rule, MxScaleRule::kRceil)), HasSubstr("q8_0"));
  EXPECT_THAT(Refusal(With(MakeSpec(DType::kInt8, kTensor), &Spec::rule, MxScaleRule::kCeil)),
              HasSubstr("rule= is for MX"));

  for (const Spec& spec : {mx, nvfp4}) {
    EXPECT_EQ(Refusal(With(spec, &Spec::rounding, RoundingMode::kNearestAway)), "valid");
    EXPECT_EQ(Refusal(With(spec, &Spec::scale_use, ScaleUse::kAfter)), "valid");
  }
  EXPECT_THAT(Refusal(With(ggml, &Spec::rounding, RoundingMode::kNearestAway)),
              HasSubstr("takes only like="));
  EXPECT_THAT(Refusal(With(ggml, &Spec::scale_use, ScaleUse::kAfter)),
              HasSubstr("takes only like="));

  const Convention convention;
  for (const Spec& spec : {mx, nvfp4, ggml}) {
    EXPECT_EQ(Refusal(With(spec, &Spec::convention, &convention)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::overflow, OverflowMode::kNative)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::scale_dtype, DType::kFloat16)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::zero_point, ZeroPoint::kInteger)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::range, ScaleRange::kFull)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::method, RangeMethod::kMse)), "valid");
    EXPECT_NE(Refusal(With(spec, &Spec::percentile, 50.0)), "valid");
    EXPECT_THAT(Refusal(With(spec, &Spec::granularity, kTensor)), HasSubstr("its own blocks"));
    EXPECT_THAT(Refusal(With(spec, &Spec::dtype, DType::kInt8)), HasSubstr("its own elements"));
  }
}

}  // namespace
}  // namespace narrowgauge
