#include "src/quantize/int8_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tests/support/every_instruction_set.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

float FromHex(const nlohmann::json& digits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(test::ParseHex(digits)));
}

bool SameBitsOrBothNan(float a, float b) {
  return test::BitsOf(a) == test::BitsOf(b) || (std::isnan(a) && std::isnan(b));
}

// JAX's own answers for columns of zeros, NaN, infinities, subnormals, ties and extremes.
TEST(Int8ChannelTest, EdgeColumnsAreWhatJaxGives) {
  int columns_checked = 0;
  for (const auto& group : test::ReadJson("golden/quant_int8.json")) {
    for (const auto& column : group["columns"]) {
      SCOPED_TRACE(column["name"].get<std::string>());
      std::vector<float> w;
      for (const auto& digits : column["w"]) w.push_back(FromHex(digits));
      const Int8Channels got =
          QuantizeInt8Channels(w, static_cast<std::int64_t>(w.size()), 1,
                               Quotient::kMultiplyByReciprocal, Subnormals::kFlushed);
      EXPECT_TRUE(SameBitsOrBothNan(got.scales[0], FromHex(column["scale"])));
      for (std::size_t k = 0; k < w.size(); ++k) {
        EXPECT_EQ(got.codes[k], column["q"][k].get<int>()) << k;
        EXPECT_TRUE(SameBitsOrBothNan(got.dequantized[k], FromHex(column["dequantized"][k])))
            << k << ": " << got.dequantized[k];
      }
      ++columns_checked;
    }
  }
  EXPECT_EQ(columns_checked, 27);
}

TEST(Int8ChannelTest, ZeroChannelsHaveScaleOneAndNoError) {
  const float w[] = {0.0F, -0.0F, 0.0F};
  const auto got = QuantizeInt8Channels(w, 3, 1, Quotient::kDivide, Subnormals::kKept);
  EXPECT_EQ(got.scales[0], 1.0F);
  EXPECT_THAT(got.codes, testing::Each(0));
  EXPECT_THAT(got.dequantized, testing::Each(0.0F));
}

TEST(Int8ChannelTest, TiesGoToEven) {
  const float w[] = {127.0F, 2.5F, 3.5F, -2.5F};
  const auto got = QuantizeInt8Channels(w, 4, 1, Quotient::kDivide, Subnormals::kKept);
  EXPECT_THAT(got.codes, testing::ElementsAre(127, 2, 4, -2));
}

TEST(Int8ChannelTest, SubnormalChannelsAreKeptUnlessFlushed) {
  const float w[] = {127 * 0x1p-149F, 0x1p-149F};
  const auto kept = QuantizeInt8Channels(w, 2, 1, Quotient::kDivide, Subnormals::kKept);
  EXPECT_EQ(kept.scales[0], 0x1p-149F);
  EXPECT_THAT(kept.codes, testing::ElementsAre(127, 1));
  EXPECT_THAT(kept.dequantized, testing::ElementsAreArray(w));
  const auto flushed = QuantizeInt8Channels(w, 2, 1, Quotient::kDivide, Subnormals::kFlushed);
  EXPECT_EQ(flushed.scales[0], 1.0F);
  EXPECT_THAT(flushed.codes, testing::Each(0));
}

class Int8PanelTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, Int8PanelTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(Int8PanelTest, HasTheBitsOfThePlainVersion) {
  constexpr std::int64_t kDepth = 77;
  std::mt19937 engine(1);
  std::vector<float> panel(kDepth * kPanelColumns);
  for (float& w : panel) {
    // Every finite float32 pattern, subnormals and the largest included.
    do {
      w = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
    } while (!std::isfinite(w));
  }
  for (std::size_t k = 0; k < kDepth; ++k) {
    panel[k * kPanelColumns] = 0.0F;
    panel[k * kPanelColumns + 1] *= 0x1p-100F;
    panel[k * kPanelColumns + 2] = std::ldexp(std::fmod(panel[k * kPanelColumns + 2], 1.0F), -140);
  }
  for (const Quotient quotient : {Quotient::kDivide, Quotient::kMultiplyByReciprocal}) {
    const auto want =
        QuantizeInt8Channels(panel, kDepth, kPanelColumns, quotient, Subnormals::kKept);
    std::vector<float> scales(kPanelColumns);
    std::vector<std::int8_t> codes(panel.size());
    std::vector<float> dequantized(panel.size());
    QuantizeInt8Panel(KernelsFor(GetParam()), panel.data(), kDepth, quotient, scales.data(),
                      codes.data(), dequantized.data());
    EXPECT_EQ(scales, want.scales);
    EXPECT_EQ(codes, want.codes);
    for (std::size_t i = 0; i < dequantized.size(); ++i) {
      ASSERT_TRUE(SameBitsOrBothNan(dequantized[i], want.dequantized[i]))
          << i << ": " << dequantized[i] << " " << want.dequantized[i];
    }
  }
}

}  // namespace
}  // namespace narrowgauge::internal
