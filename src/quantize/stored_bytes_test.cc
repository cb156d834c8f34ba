#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "narrowgauge/convention.h"
#include "narrowgauge/quantization.h"

namespace narrowgauge {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

constexpr QuantizationGranularity kTensor = {.kind = GranularityKind::kTensor};
constexpr QuantizationGranularity kChannel = {.kind = GranularityKind::kChannel};
constexpr QuantizationGranularity kInput = {.kind = GranularityKind::kInput};

constexpr QuantizationGranularity Group(std::int64_t rows) {
  return {.kind = GranularityKind::kGroup, .rows = rows};
}

constexpr QuantizationGranularity Block(std::int64_t rows, std::int64_t columns) {
  return {.kind = GranularityKind::kBlock, .rows = rows, .columns = columns};
}

// Returns codes, scales, padding.
std::vector<std::int64_t> Bytes(const QuantizationSpec& spec, std::int64_t depth,
                                std::int64_t columns) {
  const auto bytes = CountStoredBytes(spec, depth, columns);
  EXPECT_TRUE(bytes.has_value()) << bytes.error().message;
  if (!bytes) return {};
  return {bytes->codes, bytes->scales, bytes->padding};
}

StatusCode Refusal(const QuantizationSpec& spec, std::int64_t depth, std::int64_t columns) {
  const auto bytes = CountStoredBytes(spec, depth, columns);
  return bytes ? StatusCode::kUnknown : bytes.error().code;
}

QuantizationSpec With(QuantizationSpec spec, ZeroPoint zero_point, DType scale_dtype) {
  spec.zero_point = zero_point;
  spec.scale_dtype = scale_dtype;
  return spec;
}

TEST(CountStoredBytesTest, CodesArePackedAndRoundedUpOnce) {
  EXPECT_THAT(Bytes(MakeSpec(DType::kFloat32), 3, 5), ElementsAre(60, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kTf32), 3, 5), ElementsAre(60, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kBFloat16), 3, 5), ElementsAre(30, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kFloat6E2M3Fn), 3, 5), ElementsAre(12, 0, 0));  // 90 bits.
  EXPECT_THAT(Bytes(MakeSpec(DType::kFloat4E2M1Fn), 3, 5), ElementsAre(8, 0, 0));   // 60 bits.
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt2, kTensor), 3, 5), ElementsAre(4, 4, 0));  // 30 bits.
}

TEST(CountStoredBytesTest, ScalesByGranularity) {
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, kTensor), 100, 7), ElementsAre(700, 4, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, kChannel), 100, 7), ElementsAre(700, 28, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, kInput), 100, 7), ElementsAre(700, 400, 0));
  // 4 groups in a channel, the last of 4 elements; it stores only these.
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, Group(32)), 100, 7), ElementsAre(700, 7 * 4 * 4, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, Group(kHuge)), 100, 7), ElementsAre(700, 28, 0));
  // 4 x 3 blocks.
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, Block(32, 3)), 100, 7), ElementsAre(700, 48, 0));
}

TEST(CountStoredBytesTest, ScaleDTypesAndZeroPoints) {
  const QuantizationSpec int4 = MakeSpec(DType::kInt4, Group(32));
  EXPECT_THAT(Bytes(With(int4, ZeroPoint::kNone, DType::kFloat16), 96, 5), ElementsAre(240, 30, 0));
  EXPECT_THAT(Bytes(With(int4, ZeroPoint::kNone, DType::kFloat8E8M0Fnu), 96, 5),
              ElementsAre(240, 15, 0));
  // 15 scales and 15 zero points of 4 bits: 60 bits are 8 bytes.
  EXPECT_THAT(Bytes(With(int4, ZeroPoint::kInteger, DType::kFloat16), 96, 5),
              ElementsAre(240, 38, 0));
  const QuantizationSpec uint4 = MakeSpec(DType::kUint4, Group(32));
  EXPECT_THAT(Bytes(uint4, 96, 5), ElementsAre(240, 68, 0));
  EXPECT_THAT(Bytes(With(uint4, ZeroPoint::kFloat, DType::kBFloat16), 96, 5),
              ElementsAre(240, 60, 0));
}

TEST(CountStoredBytesTest, BlocksAreStoredWhole) {
  // 4 blocks in a channel; the last holds 4 elements of 32.
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxFp8E4M3), 100, 7), ElementsAre(700, 28, 196));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxInt8), 100, 7), ElementsAre(700, 28, 196));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxFp6E3M2), 100, 7), ElementsAre(525, 28, 147));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxFp4), 100, 7), ElementsAre(350, 28, 98));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxFp4), 96, 7), ElementsAre(336, 21, 0));
  // 7 blocks of 16 in a channel, a byte of scale each, and the tensor's 4 bytes.
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kNvFp4), 100, 7), ElementsAre(350, 53, 42));
  // One element: half a byte of code, rounded up; the block has 8.
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kNvFp4), 1, 1), ElementsAre(1, 5, 7));
}

TEST(CountStoredBytesTest, AsGgmlStoresItsBlocks) {
  // sizeof(block_q8_0) 34, block_q4_0 18, block_q4_1 20, block_q5_0 22, block_q5_1 24.
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ8_0), 32, 1), ElementsAre(32, 2, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ4_0), 32, 1), ElementsAre(16, 2, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ4_1), 32, 1), ElementsAre(16, 4, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ5_0), 32, 1), ElementsAre(20, 2, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ5_1), 32, 1), ElementsAre(20, 4, 0));
  // 33 elements of 5 bits are 165 bits.
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kQ5_1), 33, 1), ElementsAre(21, 8, 19));
}

TEST(CountStoredBytesTest, PackagesKeepScalesInTypesOfTheirOwn) {
  const auto scales = [](std::string_view convention, QuantizationSpec spec, DType stored_dtype) {
    spec.convention = FindConvention(convention).value();
    return CountStoredBytes(spec, 64, 10, stored_dtype).value().scales;
  };
  const QuantizationSpec channel = MakeSpec(DType::kInt8, {.kind = GranularityKind::kChannel});
  EXPECT_EQ(scales("qwix/int8", channel, DType::kFloat32), 10 * 4);
  EXPECT_EQ(scales("qwix/int8", channel, DType::kBFloat16), 10 * 2);
  EXPECT_EQ(scales("torchao/int8", channel, DType::kBFloat16), 10 * 4);
  // A power of two, kept as a float in qwix.
  EXPECT_EQ(scales("qwix/mxfp4", MakeSpec(BlockFormat::kMxFp4), DType::kFloat32), 20 * 4);
  EXPECT_EQ(scales("torchao/mxfp4-floor", MakeSpec(BlockFormat::kMxFp4), DType::kFloat32), 20);
  // One level of scales, or two.
  EXPECT_EQ(scales("mlx/nvfp4", MakeSpec(BlockFormat::kNvFp4), DType::kFloat32), 40);
  EXPECT_EQ(scales("modelopt/nvfp4", MakeSpec(BlockFormat::kNvFp4), DType::kFloat32), 40 + 4);
}

TEST(CountStoredBytesTest, EmptyMatrices) {
  EXPECT_THAT(Bytes(MakeSpec(DType::kBFloat16), 0, 7), ElementsAre(0, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, kTensor), 0, 0), ElementsAre(0, 4, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, kChannel), 0, 7), ElementsAre(0, 28, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, Group(32)), 0, 7), ElementsAre(0, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kInt8, Block(32, 32)), 5, 0), ElementsAre(0, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kMxFp4), 0, 7), ElementsAre(0, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(BlockFormat::kNvFp4), 5, 0), ElementsAre(0, 4, 0));
}

TEST(CountStoredBytesTest, WhatFitsIsCounted) {
  // More bits than 64 bits can count, but not more bytes.
  EXPECT_THAT(Bytes(MakeSpec(DType::kFloat4E2M1Fn), kHuge, 1), ElementsAre(kHuge / 2 + 1, 0, 0));
  EXPECT_THAT(Bytes(MakeSpec(DType::kFloat8E4M3Fn), kHuge, 1), ElementsAre(kHuge, 0, 0));
}

TEST(CountStoredBytesTest, WhatDoesNotFitIsOutOfRange) {
  EXPECT_EQ(Refusal(MakeSpec(DType::kBFloat16), kHuge, 1), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(DType::kInt2, kTensor), kHuge, 2), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(DType::kInt8, kInput), kHuge, 1), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(DType::kInt8, kChannel), 0, kHuge), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(DType::kInt8, Group(1)), 1, kHuge), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(BlockFormat::kMxFp8E4M3), kHuge, 1), StatusCode::kOutOfRange);
  EXPECT_EQ(Refusal(MakeSpec(BlockFormat::kMxFp4), 1, kHuge), StatusCode::kOutOfRange);
}

TEST(CountStoredBytesTest, BadWordsAreRefused) {
  EXPECT_EQ(Refusal(MakeSpec(DType::kBFloat16), -1, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(MakeSpec(DType::kBFloat16), 1, -1), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(MakeSpec(DType::kInt8), 1, 1), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace narrowgauge
