// The plain quantizer against definitions and published answers; the fast one against the plain
// one.

#include "src/quantize/quantizer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "src/kernels/kernels.h"
#include "src/numerics/bulk_convert.h"
#include "src/quantize/fast_quantizer.h"
#include "src/quantize/plain_quantizer.h"
#include "src/quantize/shared_scales.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// A matrix in memory, channel after channel.
template <typename T>
class MemorySource : public ChannelSource {
 public:
  MemorySource(std::int64_t depth, std::vector<T> values)
      : depth_(depth), values_(std::move(values)) {}

  [[nodiscard]] std::int64_t Depth() const override { return depth_; }
  [[nodiscard]] std::int64_t Channels() const override {
    return static_cast<std::int64_t>(values_.size()) / depth_;
  }
  [[nodiscard]] DType StoredDType() const override {
    return sizeof(T) == sizeof(float) ? DType::kFloat32 : DType::kFloat64;
  }
  void Read(std::int64_t first, std::int64_t count, float* out) const override {
    for (std::int64_t i = 0; i < count * depth_; ++i) {
      out[i] = static_cast<float>(values_[static_cast<std::size_t>(first * depth_ + i)]);
    }
  }
  void Read(std::int64_t first, std::int64_t count, double* out) const override {
    for (std::int64_t i = 0; i < count * depth_; ++i) {
      out[i] = static_cast<double>(values_[static_cast<std::size_t>(first * depth_ + i)]);
    }
  }
  [[nodiscard]] std::span<const T> Channel(std::int64_t n) const {
    return {values_.data() + n * depth_, static_cast<std::size_t>(depth_)};
  }

 private:
  std::int64_t depth_;
  std::vector<T> values_;
};

struct Outcome {
  std::vector<float> values;
  QuantizationCounts counts;
};

template <typename T>
void ExpectFloat32Errors(std::span<const T> x, std::span<const float> values) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = static_cast<double>(values[i]) - static_cast<double>(x[i]);
    ASSERT_EQ(static_cast<double>(static_cast<float>(error)), error)
        << x[i] << " became " << values[i];
  }
}

template <typename T>
Outcome QuantizeAll(const Quantizer& quantizer, const MemorySource<T>& source) {
  Outcome outcome;
  outcome.values.resize(static_cast<std::size_t>(source.Depth() * source.Channels()));
  const auto depth = static_cast<std::size_t>(source.Depth());
  const std::size_t step = std::min(depth, static_cast<std::size_t>(quantizer.PartLength()));
  for (std::int64_t n = 0; n < source.Channels(); ++n) {
    const std::span<float> values(outcome.values.data() + n * source.Depth(), depth);
    for (std::size_t begin = 0; begin < depth; begin += step) {
      const std::size_t length = std::min(step, depth - begin);
      const auto x = source.Channel(n).subspan(begin, length);
      const auto part = values.subspan(begin, length);
      const ErrorsAre errors =
          quantizer.Quantize(n, static_cast<std::int64_t>(begin), x, part, outcome.counts);
      if (errors == ErrorsAre::kFloat32) ExpectFloat32Errors(x, part);
    }
  }
  outcome.counts.Merge(quantizer.SharedCounts());
  return outcome;
}

std::shared_ptr<const PlainQuantizer> MakePlain(const QuantizationSpec& spec,
                                                const ChannelSource& source) {
  GroupRules rules(spec, source.Precision());
  if (spec.block_format == BlockFormat::kNvFp4) {
    rules.tensor_scale = FindTensorScale(FindTensorRange(source, {}).Absmax());
  }
  const GroupLayout layout = LayOutGroups(spec, source.Depth(), source.Channels());
  std::vector<GroupScale> shared;
  if (layout.IsShared()) shared = FindSharedScales(rules, layout, source, {});
  return std::make_shared<const PlainQuantizer>(rules, layout, std::move(shared), 0);
}

Outcome QuantizePlainly(const QuantizationSpec& spec, std::int64_t depth,
                        std::vector<float> values) {
  const MemorySource<float> source(depth, std::move(values));
  return QuantizeAll(*MakePlain(spec, source), source);
}

QuantizationSpec Channel(DType dtype) {
  return MakeSpec(dtype, {.kind = GranularityKind::kChannel});
}

// ---- Codes -------------------------------------------------------------------------------------

QuantizationSpec Parsed(const std::string& text) {
  const auto spec = ParseSpec(text);
  EXPECT_TRUE(spec.has_value()) << text;
  return *spec;
}

// What values are made of: (code - zero point) * scale, rounded once.
TEST(CodesTest, AreWhatTheValuesComeFrom) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  constexpr std::int64_t kDepth = 100;
  std::vector<float> elements(3 * kDepth);
  for (float& element : elements) element = normal(engine);
  std::fill_n(elements.begin(), 40, 0.0F);
  const MemorySource<float> source(kDepth, elements);
  for (const std::string text :
       {"int8/channel", "int8/tensor,range=128", "uint8/channel", "int4/group:32,zero=int",
        "int8/block:16x2", "float8_e4m3fn/channel,scale=bfloat16", "int8/channel,round=stochastic",
        "mxfp8_e4m3", "mxint8", "mxfp4,rule=rceil", "nvfp4", "float16/group:7"}) {
    const auto quantizer = MakeQuantizer(Parsed(text), source, {.seed = 3});
    ASSERT_TRUE(quantizer.has_value()) << text;
    const std::vector<float> values = QuantizeAll(**quantizer, source).values;
    for (std::int64_t n = 0; n < source.Channels(); ++n) {
      const ChannelCodes codes = (*quantizer)->Codes(n, source.Channel(n));
      ASSERT_EQ(codes.codes.size(), static_cast<std::size_t>(kDepth));
      ASSERT_EQ(codes.scales.size(), codes.zero_points.size());
      for (std::size_t k = 0; k < codes.codes.size(); ++k) {
        const std::size_t run = k / static_cast<std::size_t>(codes.run_length);
        ASSERT_LT(run, codes.scales.size());
        const float value = (codes.codes[k] - codes.zero_points[run]) * codes.scales[run];
        ASSERT_EQ(value, values[static_cast<std::size_t>(n * kDepth) + k]) << text << ", k " << k;
      }
    }
  }
}

TEST(CodesTest, OfIntegersAreIntegers) {
  const MemorySource<float> source(4, {1.0F, -0.5F, 0.25F, 127.0F / 64});
  for (const std::string text : {"int8/channel", "uint8/channel", "mxint8"}) {
    const auto quantizer = MakeQuantizer(Parsed(text), source, {});
    const ChannelCodes codes = (*quantizer)->Codes(0, source.Channel(0));
    for (const float code : codes.codes) EXPECT_EQ(code, std::nearbyint(code)) << text;
    EXPECT_EQ(std::abs(codes.codes[3]), text[0] == 'u' ? 255 : 127) << text;
  }
}

// ---- The plain one -----------------------------------------------------------------------------

TEST(PlainQuantizerTest, RangesAndTiesAtScaleOne) {
  const std::vector<float> x = {127, 2.5F, 3.5F, -2.5F};
  QuantizationSpec spec = Channel(DType::kInt8);
  EXPECT_THAT(QuantizePlainly(spec, 4, x).values, ElementsAre(127, 2, 4, -2));
  spec.rounding = RoundingMode::kNearestAway;
  EXPECT_THAT(QuantizePlainly(spec, 4, x).values, ElementsAre(127, 3, 4, -3));
  spec.rounding = RoundingMode::kTowardZero;
  EXPECT_THAT(QuantizePlainly(spec, 4, x).values, ElementsAre(127, 2, 3, -2));
}

TEST(PlainQuantizerTest, EachRangeDividesByItsOwn) {
  QuantizationSpec spec = Channel(DType::kInt8);
  EXPECT_THAT(QuantizePlainly(spec, 2, {-1, 1}).values, ElementsAre(-1, 1));
  spec.range = ScaleRange::kMiddle;
  EXPECT_THAT(QuantizePlainly(spec, 2, {-1, 1}).values,
              ElementsAre(testing::FloatEq(-0.99607843F), testing::FloatEq(0.99607843F)));
  // Scale 1: both round to an even 128, of which only the negative one is a code.
  const Outcome middle = QuantizePlainly(spec, 2, {-127.5F, 127.5F});
  EXPECT_THAT(middle.values, ElementsAre(-128, 127));
  EXPECT_EQ(middle.counts.saturated, (Occurrences{1, 1}));
  spec.range = ScaleRange::kFull;
  EXPECT_THAT(QuantizePlainly(spec, 2, {-1, 1}).values, ElementsAre(-1, 0.9921875F));
}

TEST(PlainQuantizerTest, AGroupOfZerosStaysZeroAndIsCounted) {
  for (const QuantizationSpec& spec :
       {Channel(DType::kInt8), Channel(DType::kFloat8E4M3Fn), MakeSpec(BlockFormat::kMxFp8E4M3),
        MakeSpec(BlockFormat::kNvFp4)}) {
    const Outcome outcome = QuantizePlainly(spec, 2, {0.0F, -0.0F, 1, 2});
    EXPECT_EQ(outcome.values[0], 0);
    EXPECT_EQ(outcome.values[1], 0);
    EXPECT_EQ(outcome.counts.zero_scales, (Occurrences{1, 0}));
    EXPECT_EQ(outcome.counts.flushed_to_zero, Occurrences{});
  }
}

TEST(PlainQuantizerTest, MxScalesByEachRule) {
  const auto scale = [](MxScaleRule rule, float absmax) {
    QuantizationSpec spec = MakeSpec(BlockFormat::kMxFp8E4M3);
    spec.rule = rule;
    const GroupRules rules(spec, DType::kFloat32);
    Range range;
    range.Add(static_cast<double>(absmax));
    return std::ilogb(FindScale(spec, rules.grid, range, 1).scale) + 127;
  };
  EXPECT_EQ(scale(MxScaleRule::kFloor, 150), 126);
  EXPECT_EQ(scale(MxScaleRule::kCeil, 150), 127);
  EXPECT_EQ(scale(MxScaleRule::kRceil, 150), 126);
  EXPECT_EQ(scale(MxScaleRule::kNearest, 150), 125);
  EXPECT_EQ(scale(MxScaleRule::kRceil, 448), 127);
  EXPECT_EQ(scale(MxScaleRule::kRceil, std::nextafter(448.0F, 500.0F)), 128);
  EXPECT_EQ(scale(MxScaleRule::kFloor, 7.9999995F), 121);
  QuantizationSpec spec = MakeSpec(BlockFormat::kMxFp8E4M3);
  EXPECT_THAT(QuantizePlainly(spec, 1, {957}).values, ElementsAre(896));
  spec.rule = MxScaleRule::kRceil;
  EXPECT_THAT(QuantizePlainly(spec, 1, {957}).values, ElementsAre(960));
  spec.rule = MxScaleRule::kNearest;
  EXPECT_THAT(QuantizePlainly(spec, 1, {150}).values, ElementsAre(112));
}

TEST(PlainQuantizerTest, ZeroPoints) {
  QuantizationSpec spec = MakeSpec(DType::kUint4, {.kind = GranularityKind::kChannel});
  ASSERT_EQ(spec.zero_point, ZeroPoint::kInteger);
  // s = (12.5 + 2.5) / 15 = 1, z = 0 - round(-2.5) = 2; 12.5 is code 12 + 2, -2.5 code -2 + 2.
  EXPECT_THAT(QuantizePlainly(spec, 4, {-2.5F, 12.5F, 0.0F, 3.0F}).values,
              ElementsAre(-2, 12, 0, 3));
  // 0 counts among the elements: s = 30 / 15.
  EXPECT_THAT(QuantizePlainly(spec, 2, {15, 30}).values, ElementsAre(16, 30));
  spec.zero_point = ZeroPoint::kFloat;
  EXPECT_THAT(QuantizePlainly(spec, 2, {15, 30}).values, ElementsAre(15, 30));
  const Outcome flipped = QuantizePlainly(spec, 3, {-1, 14, 0.4F});
  EXPECT_EQ(flipped.values[2], 0);
  EXPECT_EQ(flipped.counts.flushed_to_zero, (Occurrences{1, 2}));
}

TEST(PlainQuantizerTest, ScalesThatDoNotFitTheirTypeAreCounted) {
  QuantizationSpec spec = Channel(DType::kInt8);
  spec.scale_dtype = DType::kFloat16;
  const Outcome tiny = QuantizePlainly(spec, 2, {1e-9F, 0});
  EXPECT_EQ(tiny.counts.underflowed_scales, (Occurrences{1, 0}));
  EXPECT_THAT(tiny.values, ElementsAre(0, 0));
  const Outcome small = QuantizePlainly(spec, 1, {1e-4F});
  EXPECT_EQ(small.counts.subnormal_scales, (Occurrences{1, 0}));
  const Outcome huge = QuantizePlainly(spec, 1, {1e30F});
  EXPECT_EQ(huge.counts.overflowed_scales, (Occurrences{1, 0}));
  EXPECT_TRUE(std::isnan(huge.values[0]));  // 0 times infinity: a result that is not finite.
}

TEST(PlainQuantizerTest, PercentileClipsWhatItLeavesOut) {
  QuantizationSpec spec = Channel(DType::kInt8);
  spec.method = RangeMethod::kPercentile;
  spec.percentile = 75;
  const Outcome outcome = QuantizePlainly(spec, 4, {127, -12.7F, 1, 2});
  EXPECT_THAT(outcome.values, ElementsAre(testing::FloatEq(12.7F), testing::FloatEq(-12.7F), 1, 2));
  EXPECT_EQ(outcome.counts.saturated, (Occurrences{1, 0}));
}

TEST(PlainQuantizerTest, MseIsNeverWorseThanAbsmax) {
  std::mt19937 engine(1);
  std::normal_distribution<float> normal;
  for (const DType dtype : {DType::kInt4, DType::kInt2, DType::kFloat4E2M1Fn}) {
    std::vector<float> x(256);
    for (float& v : x) v = normal(engine);
    x[3] = 12;
    const auto sum = [&](RangeMethod method) {
      QuantizationSpec spec = Channel(dtype);
      spec.method = method;
      const Outcome outcome = QuantizePlainly(spec, 256, x);
      double result = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double e = static_cast<double>(outcome.values[i]) - static_cast<double>(x[i]);
        result += e * e;
      }
      return result;
    };
    EXPECT_LT(sum(RangeMethod::kMse), sum(RangeMethod::kAbsmax)) << DTypeName(dtype);
  }
}

TEST(PlainQuantizerTest, StochasticRoundingHasTheRightMean) {
  QuantizationSpec spec = Channel(DType::kInt8);
  spec.rounding = RoundingMode::kStochastic;
  constexpr std::int64_t kCount = 1 << 16;
  std::vector<float> x(kCount, 3.25F);
  x[0] = 127;
  const MemorySource<float> source(kCount, x);
  const auto quantizer = MakeQuantizer(spec, source, {.seed = 5});
  ASSERT_TRUE(quantizer.has_value());
  const Outcome outcome = QuantizeAll(**quantizer, source);
  std::int64_t up = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    ASSERT_TRUE(outcome.values[i] == 3 || outcome.values[i] == 4);
    up += outcome.values[i] == 4 ? 1 : 0;
  }
  // Six standard deviations of a binomial count.
  const double n = kCount - 1;
  EXPECT_NEAR(static_cast<double>(up), 0.25 * n, 6 * std::sqrt(n * 0.25 * 0.75));
  const Outcome again = QuantizeAll(**quantizer, source);
  EXPECT_EQ(outcome.values, again.values);
}

TEST(PlainQuantizerTest, Float64IsRoundedOnce) {
  // 1 + 2^-8 + 2^-40 lies above the middle of two bfloat16 values; through float32 it would be a
  // tie.
  const MemorySource<double> source(1, {1 + 0x1p-8 + 0x1p-40});
  const auto quantizer = MakeQuantizer(MakeSpec(DType::kBFloat16), source, {});
  ASSERT_TRUE(quantizer.has_value());
  EXPECT_THAT(QuantizeAll(**quantizer, source).values, ElementsAre(1.0078125F));
}

TEST(PlainQuantizerTest, Float64OfFloat64IsRefusedAndOfFloat32Exact) {
  const MemorySource<double> wide(1, {0.1});
  EXPECT_FALSE(MakeQuantizer(MakeSpec(DType::kFloat64), wide, {}).has_value());
  const MemorySource<float> narrow(1, {0.1F});
  const auto quantizer = MakeQuantizer(MakeSpec(DType::kFloat64), narrow, {});
  ASSERT_TRUE(quantizer.has_value());
  EXPECT_THAT(QuantizeAll(**quantizer, narrow).values, ElementsAre(0.1F));
}

// ---- The fast one ------------------------------------------------------------------------------

std::vector<QuantizationGranularity> Granularities() {
  return {{.kind = GranularityKind::kTensor},
          {.kind = GranularityKind::kChannel},
          {.kind = GranularityKind::kInput},
          {.kind = GranularityKind::kGroup, .rows = 32},
          {.kind = GranularityKind::kGroup, .rows = 5},
          {.kind = GranularityKind::kGroup, .rows = 128},
          {.kind = GranularityKind::kGroup, .rows = 2000},
          {.kind = GranularityKind::kBlock, .rows = 16, .columns = 3}};
}

std::vector<QuantizationSpec> FastSpecs() {
  std::vector<QuantizationSpec> specs;
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    if (!MakeCodecConstants(info, OverflowMode::kNative) || !info.is_signed) continue;
    if (info.kind == DTypeKind::kFloat) specs.push_back(MakeSpec(dtype));
    if (info.total_bits > 16) continue;
    for (const QuantizationGranularity& granularity : Granularities()) {
      specs.push_back(MakeSpec(dtype, granularity));
    }
  }
  for (const DType dtype : {DType::kUint8, DType::kUint4, DType::kUint2, DType::kInt4}) {
    for (const QuantizationGranularity& granularity : Granularities()) {
      specs.push_back(MakeSpec(dtype, granularity));
      specs.back().zero_point = ZeroPoint::kInteger;
    }
  }
  for (const ScaleRange range : {ScaleRange::kMiddle, ScaleRange::kFull}) {
    for (const DType dtype : {DType::kInt8, DType::kInt4, DType::kInt2}) {
      specs.push_back(Channel(dtype));
      specs.back().range = range;
    }
  }
  for (const DType scale :
       {DType::kBFloat16, DType::kFloat16, DType::kFloat8E8M0Fnu, DType::kFloat8E4M3Fn}) {
    for (const DType dtype : {DType::kInt8, DType::kFloat8E4M3Fn}) {
      for (const QuantizationGranularity& granularity :
           {QuantizationGranularity{.kind = GranularityKind::kGroup, .rows = 64},
            QuantizationGranularity{.kind = GranularityKind::kTensor}}) {
        specs.push_back(MakeSpec(dtype, granularity));
        specs.back().scale_dtype = scale;
      }
    }
  }
  specs.push_back(Channel(DType::kFloat8E4M3Fn));
  specs.back().overflow = OverflowMode::kNative;
  for (const BlockFormat format : AllBlockFormats()) {
    if (GetBlockFormatInfo(format).family == BlockFamily::kGgml) continue;
    specs.push_back(MakeSpec(format));
    if (GetBlockFormatInfo(format).family != BlockFamily::kMx) continue;
    for (const MxScaleRule rule :
         {MxScaleRule::kCeil, MxScaleRule::kRceil, MxScaleRule::kNearest}) {
      specs.push_back(MakeSpec(format));
      specs.back().rule = rule;
    }
  }
  return specs;
}

// What may lie in a matrix: ordinary values, outliers, zeros, subnormals, extremes.
std::vector<float> Elements(std::size_t count, unsigned seed, bool extreme) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) {
    value = normal(engine) * 0.02F;
    const std::uint64_t kind = engine() % 400;
    if (kind == 0) value *= 100;
    if (kind < 4) value = 0;
    if (kind == 5) value = -0.0F;
    if (!extreme) continue;
    if (kind == 6) value *= 0x1p-120F;
    if (kind == 7) value *= 0x1p-140F;
    if (kind == 8 && engine() % 4 == 0) value *= 0x1p120F;
  }
  return values;
}

std::string Describe(const QuantizationSpec& spec) {
  return fmt::format(
      "{} granularity {}:{}x{} scale {} range {} rule {}",
      spec.block_format ? GetBlockFormatInfo(*spec.block_format).name : DTypeName(spec.dtype),
      static_cast<int>(spec.granularity.kind), spec.granularity.rows, spec.granularity.columns,
      DTypeName(spec.scale_dtype), static_cast<int>(spec.range), static_cast<int>(spec.rule));
}

void CompareFastWithPlain(const QuantizationSpec& spec, const MemorySource<float>& source) {
  const auto plain = MakePlain(spec, source);
  const Outcome expected = QuantizeAll(*plain, source);
  for (const InstructionSet isa : test::SetsThatDifferIn(&Kernels::quantize_values)) {
    SCOPED_TRACE(InstructionSetName(isa));
    const auto fast = FastQuantizer::Make(plain, KernelsFor(isa));
    ASSERT_NE(fast, nullptr);
    const Outcome got = QuantizeAll(*fast, source);
    ASSERT_EQ(got.values.size(), expected.values.size());
    for (std::size_t i = 0; i < got.values.size(); ++i) {
      if (std::isnan(expected.values[i]) && std::isnan(got.values[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(got.values[i]),
                std::bit_cast<std::uint32_t>(expected.values[i]))
          << i << ": " << source.Channel(0)[i] << " became " << got.values[i] << ", not "
          << expected.values[i];
    }
    EXPECT_EQ(got.counts, expected.counts);
  }
}

class FastQuantizerTest : public testing::TestWithParam<std::int64_t> {};

INSTANTIATE_TEST_SUITE_P(Depths, FastQuantizerTest,
                         testing::Values(1, 5, 16, 33, 384, 1024, 1030, 2100));

TEST_P(FastQuantizerTest, GivesThePlainQuantizersBitsAndCounts) {
  const std::int64_t depth = GetParam();
  for (const QuantizationSpec& spec : FastSpecs()) {
    SCOPED_TRACE(Describe(spec));
    for (const bool extreme : {false, true}) {
      CompareFastWithPlain(spec, {depth, Elements(static_cast<std::size_t>(depth * 4),
                                                  static_cast<unsigned>(depth), extreme)});
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace narrowgauge::internal
