#include "src/quantize/mx_codes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "src/quantize/plain_quantizer.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kBlock = MxCodec::kBlock;

std::vector<QuantizationSpec> MxSpecs() {
  std::vector<QuantizationSpec> specs;
  for (const BlockFormat format : AllBlockFormats()) {
    if (GetBlockFormatInfo(format).family != BlockFamily::kMx) continue;
    for (const MxScaleRule rule :
         {MxScaleRule::kFloor, MxScaleRule::kCeil, MxScaleRule::kRceil, MxScaleRule::kNearest}) {
      specs.push_back(MakeSpec(format));
      specs.back().rule = rule;
    }
  }
  return specs;
}

// Blocks of magnitudes that are near each other; now and then some of zeros, far too small or too
// large for a plain scale.
std::vector<float> Values(std::size_t blocks) {
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<float> fraction(-1, 1);
  std::vector<float> values;
  for (std::size_t block = 0; block < blocks; ++block) {
    const bool may_be_odd = block / 64 % 2 == 1;
    const int exponent = may_be_odd && block % 7 == 3 ? static_cast<int>(bits() % 276) - 149
                                                      : static_cast<int>(bits() % 32) - 16;
    const bool is_zero = may_be_odd && block % 97 == 5;
    for (std::size_t i = 0; i < kBlock; ++i) {
      values.push_back(is_zero ? 0.0F : std::ldexp(fraction(bits), exponent));
    }
    if (block % 3 == 0) values.back() = std::ldexp(1.0F, exponent);
    if (block % 5 == 0) values[values.size() - 2] = -0.0F;
  }
  return values;
}

std::vector<std::uint32_t> Bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

class MxCodecTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, MxCodecTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(MxCodecTest, CodesMeanThePlainQuantizersValues) {
  constexpr std::size_t kBlocks = 32 * 40 + 3;
  const std::vector<float> x = Values(kBlocks);
  for (const QuantizationSpec& spec : MxSpecs()) {
    SCOPED_TRACE(FormatSpec(spec));
    const auto depth = static_cast<std::int64_t>(x.size());
    const PlainQuantizer plain(GroupRules(spec, DType::kFloat32), LayOutGroups(spec, depth, 1), {},
                               0);
    std::vector<float> expected(x.size());
    QuantizationCounts counts;
    plain.Quantize(0, 0, std::span<const float>(x), expected, counts);

    const MxCodec codec(spec, KernelsFor(GetParam()));
    std::vector<std::byte> codes(x.size());
    std::vector<std::byte> scales(kBlocks);
    std::vector<float> values(x.size());
    codec.Encode(x, codes, scales);
    codec.Decode(codes, scales, values);
    EXPECT_EQ(Bits(values), Bits(expected));
  }
}

TEST_P(MxCodecTest, ScalesAndCodesOfKnownValues) {
  // 448 is float8_e4m3fn's largest value and takes the scale 1; half of it comes with 2^-1.
  const MxCodec codec(MakeSpec(BlockFormat::kMxFp8E4M3), KernelsFor(GetParam()));
  std::vector<float> x(2 * kBlock, 1.0F);
  x[0] = 448;
  x[kBlock] = -224;
  std::vector<std::byte> codes(x.size());
  std::vector<std::byte> scales(2);
  codec.Encode(x, codes, scales);
  EXPECT_EQ(scales[0], std::byte{127});
  EXPECT_EQ(scales[1], std::byte{126});
  EXPECT_EQ(codes[0], std::byte{0x7E});
  EXPECT_EQ(codes[1], std::byte{0x38});
  EXPECT_EQ(codes[kBlock], std::byte{0xFE});
  EXPECT_EQ(codes[kBlock + 1], std::byte{0x40});
}

}  // namespace
}  // namespace narrowgauge::internal
