#include "src/quantize/convention_quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "narrowgauge/convention.h"
#include "src/quantize/conventions/families.h"
#include "src/quantize/recipe.h"
#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

class Matrix : public ChannelSource {
 public:
  Matrix(std::int64_t depth, std::vector<float> channels, DType stored_dtype = DType::kFloat32)
      : depth_(depth), channels_(std::move(channels)), stored_dtype_(stored_dtype) {}
  [[nodiscard]] std::int64_t Depth() const override { return depth_; }
  [[nodiscard]] std::int64_t Channels() const override {
    return static_cast<std::int64_t>(channels_.size()) / depth_;
  }
  void Read(std::int64_t first, std::int64_t count, float* out) const override {
    std::copy_n(channels_.begin() + first * depth_, count * depth_, out);
  }
  void Read(std::int64_t first, std::int64_t count, double* out) const override {
    std::copy_n(channels_.begin() + first * depth_, count * depth_, out);
  }
  [[nodiscard]] DType StoredDType() const override { return stored_dtype_; }
  [[nodiscard]] std::span<const float> Channel(std::int64_t n) const {
    return std::span(channels_).subspan(static_cast<std::size_t>(n * depth_),
                                        static_cast<std::size_t>(depth_));
  }

 private:
  std::int64_t depth_;
  std::vector<float> channels_;
  DType stored_dtype_;
};

// Magnitudes over many binades, both signs, no zeros.
Matrix SomeMatrix(std::int64_t depth, std::int64_t channels, DType stored_dtype = DType::kFloat32) {
  std::vector<float> elements;
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < depth * channels; ++i) {
    state = state * 1664525U + 1013904223U;
    const float mantissa = 1.0F + static_cast<float>(state >> 16 & 0xFFU) / 256.0F;
    const float magnitude = std::ldexp(mantissa, -static_cast<int>(state >> 24 & 7U));
    elements.push_back((state >> 31 & 1U) != 0 ? -magnitude : magnitude);
  }
  return {depth, std::move(elements), stored_dtype};
}

// The spec that a recipe is made for, with one of its granularities.
QuantizationSpec SpecOf(std::string_view name, QuantizationGranularity granularity = {}) {
  const Convention* convention = FindConvention(name).value();
  const QuantizationRecipe& recipe = RecipeOf(*convention);
  QuantizationSpec spec =
      recipe.block ? MakeSpec(*recipe.block) : MakeSpec(recipe.dtype, granularity);
  spec.convention = convention;
  return spec;
}

constexpr QuantizationGranularity kTensor = {.kind = GranularityKind::kTensor};
constexpr QuantizationGranularity kChannel = {.kind = GranularityKind::kChannel};
constexpr QuantizationGranularity GroupOf(std::int64_t rows) {
  return {.kind = GranularityKind::kGroup, .rows = rows};
}

struct Quantized {
  std::vector<float> values;
  QuantizationCounts counts;
};

Quantized QuantizeAll(const QuantizationSpec& spec, const Matrix& matrix, int threads = 1) {
  const auto quantizer = MakeConventionQuantizer(spec, matrix, ShortGroups::kAsThePackage, threads);
  EXPECT_TRUE(quantizer) << quantizer.error().message;
  Quantized result;
  for (std::int64_t n = 0; n < matrix.Channels(); ++n) {
    std::vector<float> values(static_cast<std::size_t>(matrix.Depth()));
    (*quantizer)->Quantize(n, 0, matrix.Channel(n), values, result.counts);
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  return result;
}

std::string ErrorOf(const QuantizationSpec& spec, const Matrix& matrix, StatusCode code) {
  const auto quantizer = MakeConventionQuantizer(spec, matrix, ShortGroups::kAsThePackage, 1);
  if (quantizer) return "none";
  EXPECT_EQ(quantizer.error().code, code);
  return quantizer.error().message;
}

QuantizationGranularity DefaultGranularity(const QuantizationRecipe& recipe) {
  if (recipe.sharing.channel) return kChannel;
  return recipe.sharing.tensor ? kTensor : GroupOf(recipe.group);
}

TEST(ConventionQuantizerTest, EveryConventionQuantisesAMatrixOnAnyNumberOfThreads) {
  const Matrix matrix = SomeMatrix(1024, 80);  // More than one portion.
  for (const Convention& row : AllConventions()) {
    SCOPED_TRACE(ConventionName(row));
    const QuantizationSpec spec = SpecOf(ConventionName(row), DefaultGranularity(RecipeOf(row)));
    const Quantized one = QuantizeAll(spec, matrix, 1);
    double squares = 0;
    double errors = 0;
    for (std::int64_t n = 0; n < matrix.Channels(); ++n) {
      for (std::int64_t k = 0; k < matrix.Depth(); ++k) {
        const auto x = static_cast<double>(matrix.Channel(n)[static_cast<std::size_t>(k)]);
        const double error =
            static_cast<double>(one.values[static_cast<std::size_t>(n * matrix.Depth() + k)]) - x;
        squares += x * x;
        errors += error * error;
      }
    }
    // No format of four bits or more is worse than 10 dB on these.
    EXPECT_LT(errors, 0.1 * squares);
    const Quantized three = QuantizeAll(spec, matrix, 3);
    EXPECT_EQ(one.values, three.values);
  }
}

TEST(ConventionQuantizerTest, ATensorSharesItsRange) {
  const Matrix matrix(2, {127.0F, -1.0F, 0.5F, 63.5F});
  EXPECT_THAT(QuantizeAll(SpecOf("onnxruntime/int8", kTensor), matrix).values,
              testing::ElementsAre(127, -1, 0, 64));
  EXPECT_THAT(QuantizeAll(SpecOf("onnxruntime/int8", kChannel), matrix).values,
              testing::ElementsAre(127, -1, 0.5F, 63.5F));
}

TEST(ConventionQuantizerTest, NvFp4ScalesByTheWholeTensor) {
  // The same block under another largest magnitude of the tensor has another block scale.
  std::vector<float> elements(32, 0.1F);
  elements[16] = 0.77F;
  const Matrix small(16, elements);
  elements[0] = 700;
  const Matrix large(16, elements);
  const QuantizationSpec spec = SpecOf("modelopt/nvfp4");
  EXPECT_NE(QuantizeAll(spec, small).values[16], QuantizeAll(spec, large).values[16]);
}

TEST(ConventionQuantizerTest, NonFiniteElementsDoNotReachSharedScales) {
  const float inf = std::numeric_limits<float>::infinity();
  const Matrix matrix(2, {inf, 1.0F, 127.0F, 5.0F});
  const auto quantizer = MakeConventionQuantizer(SpecOf("onnxruntime/int8", kTensor), matrix,
                                                 ShortGroups::kAsThePackage, 1);
  ASSERT_TRUE(quantizer);
  std::vector<float> values(2);
  QuantizationCounts counts;
  (*quantizer)->Quantize(1, 0, matrix.Channel(1), values, counts);
  EXPECT_THAT(values, testing::ElementsAre(127, 5));
}

TEST(ConventionQuantizerTest, RemaindersAreRefusedOrShort) {
  const Matrix matrix = SomeMatrix(20, 2);
  for (const char* name : {"ggml/q8_0", "ggml/q4_0", "mlx/mxfp4", "qwix/mxfp8",
                           "torchao/mxfp8-floor", "compressed-tensors/mxfp4a16"}) {
    EXPECT_EQ(ErrorOf(SpecOf(name), matrix, StatusCode::kFailedPrecondition),
              std::string(name) +
                  " takes only a K that is a multiple of its group; K is 20, the group 32");
  }
  EXPECT_EQ(ErrorOf(SpecOf("qwix/int4", GroupOf(16)), matrix, StatusCode::kFailedPrecondition),
            "qwix/int4 takes only a K that is a multiple of its group; K is 20, the group 16");
  // A short last group is scaled by its own elements.
  const Quantized result = QuantizeAll(SpecOf("onnxruntime/nbits4-symmetric", GroupOf(16)), matrix);
  QuantizedGroup last;
  ASSERT_TRUE(QuantizeGroup(RecipeOf(*FindConvention("onnxruntime/nbits4-symmetric").value()),
                            GroupInput{.elements = matrix.Channel(0).subspan(16)}, last));
  EXPECT_EQ(std::vector<float>(result.values.begin() + 16, result.values.begin() + 20),
            last.values);
  EXPECT_EQ(QuantizeAll(SpecOf("modelopt/nvfp4"), matrix).values.size(), 40U);
  EXPECT_EQ(QuantizeAll(SpecOf("microxcaling/mxfp8"), matrix).values.size(), 40U);
}

TEST(ConventionQuantizerTest, WeightsThatThePackageRefusesAreRefused) {
  const Matrix zeros(4, std::vector<float>(8, 0.0F));
  EXPECT_EQ(
      ErrorOf(SpecOf("onnxruntime/float8_e4m3fn", kTensor), zeros, StatusCode::kFailedPrecondition),
      "onnxruntime/float8_e4m3fn refuses a code of NaN, as in channel 0");
  const Matrix one_zero_channel(2, {1.0F, -2.0F, 0.0F, 0.0F});
  EXPECT_EQ(ErrorOf(SpecOf("onnxruntime/float8_e4m3fn", kChannel), one_zero_channel,
                    StatusCode::kFailedPrecondition),
            "onnxruntime/float8_e4m3fn refuses a code of NaN, as in channel 1");
  EXPECT_EQ(
      QuantizeAll(SpecOf("onnxruntime/float8_e4m3fn", kTensor), one_zero_channel).values.size(),
      4U);
}

TEST(ConventionQuantizerTest, WhatASchemeDoesNotHaveIsNamed) {
  const Matrix matrix = SomeMatrix(32, 2);
  QuantizationSpec spec = SpecOf("aqt/int8", kChannel);
  spec.dtype = DType::kInt4;
  EXPECT_EQ(ErrorOf(spec, matrix, StatusCode::kInvalidArgument),
            "aqt/int8 has another format; expected int8: \"int4\"");
  EXPECT_EQ(ErrorOf(SpecOf("aqt/int8", GroupOf(16)), matrix, StatusCode::kInvalidArgument),
            "aqt/int8 has no such granularity; expected one of tensor, channel");
  EXPECT_EQ(ErrorOf(SpecOf("mlx/affine4", GroupOf(16)), matrix, StatusCode::kInvalidArgument),
            "mlx/affine4 has no groups of this size; expected one of 32, 64, 128: 16");
}

TEST(ConventionQuantizerTest, WeightsOfATypeThatThePackageDoesNotTakeAreRefused) {
  const auto make = [](std::string_view name, DType stored_dtype) {
    return MakeConventionQuantizer(SpecOf(name), SomeMatrix(32, 2, stored_dtype),
                                   ShortGroups::kAsThePackage, 1);
  };
  const auto refused = make("torchao/mxfp4-floor", DType::kFloat16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StatusCode::kFailedPrecondition);
  EXPECT_EQ(refused.error().message, "torchao/mxfp4-floor takes no float16 weights");
  EXPECT_TRUE(make("torchao/mxfp4-floor", DType::kBFloat16));
  EXPECT_FALSE(make("ggml/q8_0", DType::kFloat64));
}

TEST(ConventionQuantizerTest, ShortGroupsAreRefusedOrCompletedByZeros) {
  const Matrix matrix(40, std::vector<float>(80, 3.0F));
  const QuantizationSpec spec = SpecOf("ggml/q4_1");
  EXPECT_FALSE(MakeConventionQuantizer(spec, matrix, ShortGroups::kAsThePackage, 1));
  const auto quantizer = MakeConventionQuantizer(spec, matrix, ShortGroups::kCompleted, 1);
  ASSERT_TRUE(quantizer);
  std::vector<float> values(40);
  QuantizationCounts counts;
  (*quantizer)->Quantize(1, 0, matrix.Channel(1), values, counts);
  // A whole group of threes has no range and is its minimum; a short one reaches from 0 to 3.
  EXPECT_EQ(values.front(), 3.0F);
  EXPECT_NEAR(values.back(), 3.0F, 3.0F * 0x1p-10F);
}

TEST(ConventionQuantizerTest, CountsWhatHappened) {
  // A channel of zeros; one whose scale is 0 in float16; one with an element that saturates.
  std::vector<float> elements(96, 0.0F);
  elements[33] = 1e-7F;
  const Matrix matrix(32, elements);
  const Quantized result = QuantizeAll(SpecOf("ggml/q8_0"), matrix);
  EXPECT_EQ(result.counts.zero_scales.count, 2);
  EXPECT_EQ(result.counts.zero_scales.first_index, 0);
  EXPECT_EQ(result.counts.underflowed_scales.count, 1);
  EXPECT_EQ(result.counts.underflowed_scales.first_index, 32);

  // 127.5 / 1 rounds to 128, -127.5 to -128.
  const Matrix saturating(2, {127.5F, -127.5F});
  const Quantized saturated = QuantizeAll(SpecOf("qwix/int8", kChannel), saturating);
  EXPECT_EQ(saturated.counts.saturated.count, 1);
  EXPECT_EQ(saturated.counts.saturated.first_index, 0);

  // Six and a half scales are nearer to six than to eight, seven are a tie that eight would win.
  std::vector<float> block(32, 0.0F);
  block[0] = 6.5F;
  EXPECT_EQ(QuantizeAll(SpecOf("torchao/mxfp4-floor"), Matrix(32, block)).counts.saturated.count,
            0);
  block[0] = 7;
  EXPECT_EQ(QuantizeAll(SpecOf("torchao/mxfp4-floor"), Matrix(32, block)).counts.saturated.count,
            1);
  // 464 is a tie that 448 wins.
  block[0] = 464;
  EXPECT_EQ(QuantizeAll(SpecOf("torchao/mxfp8-floor"), Matrix(32, block)).counts.saturated.count,
            0);
  block[0] = 465;
  EXPECT_EQ(QuantizeAll(SpecOf("torchao/mxfp8-floor"), Matrix(32, block)).counts.saturated.count,
            1);

  // The scale of a tensor is one.
  const Matrix small(2, {1e-35F, 0.0F, 0.0F, 1e-35F});
  EXPECT_EQ(QuantizeAll(SpecOf("modelopt/int8", kTensor), small).counts.subnormal_scales.count, 0);
  const Matrix smaller(2, {1e-37F, 0.0F, 0.0F, 1e-37F});
  EXPECT_EQ(QuantizeAll(SpecOf("modelopt/int8", kChannel), smaller).counts.subnormal_scales.count,
            2);
  EXPECT_EQ(QuantizeAll(SpecOf("modelopt/int8", kTensor), smaller).counts.subnormal_scales.count,
            1);

  // One level of scales holds up to 448 * 6.
  std::vector<float> large(16, 1.0F);
  large[0] = 1e5F;
  const Quantized clamped = QuantizeAll(SpecOf("qwix/nvfp4"), Matrix(16, large));
  EXPECT_EQ(clamped.counts.overflowed_scales.count, 1);
  EXPECT_EQ(clamped.counts.saturated.count, 1);
}

}  // namespace
}  // namespace narrowgauge::internal
