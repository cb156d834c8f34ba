#include "src/backends/scaled_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "narrowgauge/precision_policy.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

constexpr std::int64_t kRows = 3;
constexpr std::int64_t kChannels = 5;
constexpr std::int64_t kDepth = 70;

// Lines of codes from -128 to 127, or from 0, with random scales and, if asked for, zero points.
enum class Codes { kSigned, kUnsigned };
Lines RandomLines(std::int64_t count, std::int64_t run, Codes codes, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> scale(0.01F, 3.0F);
  const int zero = codes == Codes::kSigned ? 128 : 0;
  Lines lines(count, kDepth);
  for (std::int64_t i = 0; i < count; ++i) {
    ChannelCodes channel = {.run_length = run, .codes = {}, .scales = {}, .zero_points = {}};
    for (std::int64_t k = 0; k < kDepth; ++k) {
      channel.codes.push_back(static_cast<float>(static_cast<int>(engine() % 256) - zero));
      if (k % run != 0) continue;
      channel.scales.push_back(scale(engine));
      channel.zero_points.push_back(codes == Codes::kUnsigned ? static_cast<float>(engine() % 256)
                                                              : 0.0F);
    }
    lines.SetCodes(i, channel);
  }
  return lines;
}

DotModel ModelFor(const std::string& accumulation) {
  const auto policy = ParsePolicy("acc=" + accumulation);
  EXPECT_TRUE(policy.has_value()) << policy.error().message;
  return ModelOf(policy->accumulation, DType::kUint8, DType::kInt8).value();
}

// The definition, for one element: every piece between two multiples of either run.
double Expected(const DotModel& model, const Lines& x, std::int64_t m, const Lines& w,
                std::int64_t n, bool multiplies_stored_codes) {
  float total = 0;
  for (std::int64_t begin = 0; begin < kDepth;) {
    std::int64_t end = begin + 1;
    const auto ends = [&](std::int64_t run) { return run != 0 && end % run == 0; };
    while (end < kDepth && !ends(x.run_length) && !ends(w.run_length)) ++end;
    std::vector<float> a;
    std::vector<float> b;
    double from_zero_points = 0;
    for (std::int64_t k = begin; k < end; ++k) {
      const float x_zero = x.ZeroPoint(m, k);
      const float w_zero = w.ZeroPoint(n, k);
      const float x_code = x.Line(m)[k];
      const float w_code = w.Line(n)[k];
      a.push_back(multiplies_stored_codes ? x_code : x_code - x_zero);
      b.push_back(multiplies_stored_codes ? w_code : w_code - w_zero);
      from_zero_points +=
          static_cast<double>(x_code) * static_cast<double>(w_code) -
          static_cast<double>(x_code - x_zero) * static_cast<double>(w_code - w_zero);
    }
    double sum = PlainDot(model, a, b);
    if (multiplies_stored_codes) sum -= from_zero_points;
    const float scale = x.Scale(m, begin) * w.Scale(n, begin);
    const float contribution = static_cast<float>(sum) * scale;
    total = begin == 0 ? contribution : total + contribution;
    begin = end;
  }
  return static_cast<double>(total);
}

class ScaledProductTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, ScaledProductTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(ScaledProductTest, ScalesTheSumOfEveryPiece) {
  for (const std::string text : {"int32", "int32,overflow=wrap", "int32,overflow=saturate16",
                                 "float32", "bfloat16", "bfloat16/block:8,inner=float32"}) {
    const DotModel model = ModelFor(text);
    const bool is_integer = text.starts_with("int32");
    for (const std::int64_t x_run : {kDepth, std::int64_t{32}}) {
      for (const std::int64_t w_run : {kDepth, std::int64_t{32}, std::int64_t{24}}) {
        for (const Codes x_codes : {Codes::kSigned, Codes::kUnsigned}) {
          const Lines x = RandomLines(kRows, x_run, x_codes, 1);
          const Lines w = RandomLines(kChannels, w_run, Codes::kSigned, 2);
          std::vector<double> got(static_cast<std::size_t>(kRows * kPanelColumns));
          MultiplyLines(KernelsFor(GetParam()), model, {}, x, kRows, w, {0, 1, 3, 4}, got.data());
          for (std::int64_t m = 0; m < kRows; ++m) {
            for (const std::int64_t n : {0, 1, 3, 4}) {
              ASSERT_EQ(got[static_cast<std::size_t>(m * kPanelColumns + n)],
                        Expected(model, x, m, w, n, is_integer))
                  << text << ", runs of " << x_run << " and " << w_run;
            }
            EXPECT_EQ(got[static_cast<std::size_t>(m * kPanelColumns + 2)], 0);
          }
        }
      }
    }
  }
}

// Codes less zero points multiply exactly whatever they are stored as, unless something is clipped.
TEST_P(ScaledProductTest, ExactSumsOfIntegersForgetTheirZeroPoints) {
  Lines x = RandomLines(kRows, kDepth, Codes::kUnsigned, 1);
  Lines w = RandomLines(kChannels, kDepth, Codes::kUnsigned, 2);
  std::ranges::fill(x.scales, 1.0F);
  std::ranges::fill(w.scales, 1.0F);
  std::vector<double> got(static_cast<std::size_t>(kRows * kPanelColumns));
  for (const std::string text : {"int32", "int32,overflow=wrap"}) {
    MultiplyLines(KernelsFor(GetParam()), ModelFor(text), {}, x, kRows, w, {0, 1, 2, 3, 4},
                  got.data());
    for (std::int64_t m = 0; m < kRows; ++m) {
      for (std::int64_t n = 0; n < kChannels; ++n) {
        double want = 0;
        for (std::int64_t k = 0; k < kDepth; ++k) {
          want += static_cast<double>(x.Line(m)[k] - x.ZeroPoint(m, 0)) *
                  static_cast<double>(w.Line(n)[k] - w.ZeroPoint(n, 0));
        }
        EXPECT_EQ(got[static_cast<std::size_t>(m * kPanelColumns + n)], want) << text;
      }
    }
  }
}

TEST_P(ScaledProductTest, OneOperandMayHaveNoScales) {
  Lines x(1, 4);
  std::ranges::copy(std::vector<float>{1, 2, 3, 4}, x.Line(0));
  Lines w(1, 4);
  w.SetCodes(0,
             {.run_length = 2, .codes = {1, -1, 2, 0}, .scales = {0.5F, 4}, .zero_points = {0, 0}});
  std::vector<double> got(static_cast<std::size_t>(kPanelColumns));
  MultiplyLines(KernelsFor(GetParam()), ModelFor("float32"), {}, x, 1, w, {0}, got.data());
  EXPECT_EQ(got[0], 0.5 * (1 - 2) + 4 * (3 * 2 + 0));
}

TEST_P(ScaledProductTest, ADepthOfZeroGivesZeros) {
  Lines x(2, 0);
  Lines w(1, 0);
  w.SetCodes(0, {.run_length = 1, .codes = {}, .scales = {}, .zero_points = {}});
  std::vector<double> got(static_cast<std::size_t>(2 * kPanelColumns), 7.0);
  MultiplyLines(KernelsFor(GetParam()), ModelFor("int32"), {}, x, 2, w, {0}, got.data());
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[static_cast<std::size_t>(kPanelColumns)], 0);
}

}  // namespace
}  // namespace narrowgauge::internal
