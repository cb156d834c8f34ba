#include "narrowgauge/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/experiment/follow_sums.h"
#include "src/experiment/operand.h"

namespace narrowgauge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> Values(const std::string& text) {
  const auto sweep = ParseSweep("k=" + text);
  EXPECT_TRUE(sweep.has_value()) << text;
  return sweep ? sweep->values : std::vector<std::int64_t>();
}

std::string Refusal(const std::string& text) {
  const auto sweep = ParseSweep(text);
  return sweep ? "accepted" : sweep.error().message;
}

TEST(SweepTextTest, RangesHaveThePowersOfTwoBetweenTheirEnds) {
  EXPECT_THAT(Values("4..64"), ElementsAre(4, 8, 16, 32, 64));
  EXPECT_THAT(Values("3..20"), ElementsAre(3, 4, 8, 16, 20));
  EXPECT_THAT(Values("1..3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(Values("5..7"), ElementsAre(5, 7));
  EXPECT_THAT(Values("7..7"), ElementsAre(7));
  EXPECT_EQ(Values("1..9223372036854775807").size(), 64U);
  EXPECT_THAT(Values("4611686018427387904..9223372036854775807"),
              ElementsAre(std::int64_t{1} << 62, INT64_MAX));
}

TEST(SweepTextTest, RangesMayHaveAStep) {
  EXPECT_THAT(Values("8..24:8"), ElementsAre(8, 16, 24));
  EXPECT_THAT(Values("8..23:8"), ElementsAre(8, 16));
  EXPECT_THAT(Values("8..9:100"), ElementsAre(8));
  EXPECT_THAT(Values("9223372036854775806..9223372036854775807:5"), ElementsAre(INT64_MAX - 1));
}

TEST(SweepTextTest, ListsMixNumbersAndRanges) {
  EXPECT_THAT(Values("64,128,1000"), ElementsAre(64, 128, 1000));
  EXPECT_THAT(Values("1,2..8,10..12:1"), ElementsAre(1, 2, 4, 8, 10, 11, 12));
}

TEST(SweepTextTest, WhatMakesNoSenseIsRefusedWithWords) {
  EXPECT_THAT(Refusal("m=1..4"), HasSubstr("expected one of k, block, split-k"));
  EXPECT_THAT(Refusal("blok=1..4"), HasSubstr("nearest: block"));
  for (const char* const text : {"k", "k=", "", "=1..4"}) EXPECT_NE(Refusal(text), "accepted");
  EXPECT_THAT(Refusal("k"), HasSubstr("k=64..4096"));
  EXPECT_THAT(Refusal("k=64..8"), HasSubstr("a range ascends, as in 8..64"));
  EXPECT_THAT(Refusal("k=8,4"), HasSubstr("4 follows 8"));
  EXPECT_THAT(Refusal("k=8,8"), HasSubstr("8 follows 8"));
  EXPECT_THAT(Refusal("k=1..8,4..16"), HasSubstr("4 follows 8"));
  for (const char* const text :
       {"k=0..8", "k=-1", "k=1..", "k=..8", "k=1...8", "k=1..8:", "k=1..8:0", "k=1,,2", "k=1,",
        "k=x", "k=1.5", "k=9223372036854775808", "k=1..9223372036854775808", "k= 1"}) {
    EXPECT_THAT(Refusal(text), HasSubstr("from 1 to 9223372036854775807")) << text;
  }
  EXPECT_THAT(Refusal("k=1..1001:1"), HasSubstr("up to 1000 values"));
  EXPECT_THAT(Refusal("k=1..9223372036854775807:1"), HasSubstr("up to 1000 values"));
  EXPECT_EQ(Values("1..1000:1").size(), 1000U);
}

// ---- Operands that are cut ---------------------------------------------------------------------

TEST(FirstKTest, IsTheSameOnEitherAxis) {
  std::vector<float> values(12);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const internal::Operand k_first(values, 4, 3, KAxis::kFirst, InstructionSet::kBaseline);
  const internal::Operand k_last(values, 3, 4, KAxis::kLast, InstructionSet::kBaseline);
  for (const std::int64_t depth : {0, 1, 3, 4}) {
    for (const internal::Operand* const whole : {&k_first, &k_last}) {
      const auto cut = whole->First(depth);
      ASSERT_TRUE(cut.has_value());
      EXPECT_EQ((*cut)->Depth(), depth);
      EXPECT_EQ((*cut)->Channels(), 3);
      EXPECT_EQ((*cut)->Axis(), whole->Axis());
      std::vector<float> all(12);
      whole->Read(0, 3, all.data());
      std::vector<float> read(static_cast<std::size_t>(3 * depth));
      (*cut)->Read(0, 3, read.data());
      for (std::int64_t n = 0; n < 3; ++n) {
        for (std::int64_t k = 0; k < depth; ++k) {
          EXPECT_EQ(read[static_cast<std::size_t>(n * depth + k)],
                    all[static_cast<std::size_t>(n * 4 + k)]);
        }
      }
    }
  }
}

// ---- Sums that are followed --------------------------------------------------------------------

TEST(FollowSumsTest, TellsWhatIsLostFromWhatIsRight) {
  internal::FollowSums follow(2, 3, 1);
  const auto take = [&](const std::vector<double>& reference, const std::vector<double>& result) {
    for (const std::size_t policy : {0U, 1U}) follow.Take(policy, 0, reference, result);
    const auto counts = follow.Counts(1);
    EXPECT_EQ(follow.Counts(0), counts);
    follow.Advance();
    return counts;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Counts = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(take({1, 1, 1}, {1, 1, 1}), Counts(0, 0));  // The first has nothing before it.
  EXPECT_EQ(take({2, 2, 1}, {1, 2, 1}), Counts(1, 1));  // The third should not change.
  EXPECT_EQ(take({3, 3, 1}, {1, 2, 2}), Counts(2, 1));
  EXPECT_EQ(take({4, 4, 2}, {nan, 2, 2}), Counts(2, 1));
  EXPECT_EQ(take({5, 5, 3}, {nan, 2, 2}), Counts(2, 1));  // What is not finite counts as changed.
  EXPECT_EQ(take({nan, 6, 4}, {1, 2, 2}), Counts(2, 0));  // A row that is left out.
}

TEST(FollowSumsTest, WhatMemoryCannotHoldIsRefused) {
  EXPECT_TRUE(internal::FollowSums::CheckMemory(20, 1024, 1024).has_value());
  const auto fits = internal::FollowSums::CheckMemory(20, std::int64_t{1} << 40, 1 << 20);
  ASSERT_FALSE(fits.has_value());
  EXPECT_THAT(fits.error().message, HasSubstr("under 20 policies"));
}

// ---- The whole ---------------------------------------------------------------------------------

MeasureOptions Ones(const std::vector<std::string>& policies) {
  MeasureOptions options;
  options.random = RandomShape{2, 4096, 3};
  options.inputs = {InputKind::kOnes, 0};
  for (const std::string& text : policies) {
    const auto policy = ParsePolicy(text);
    EXPECT_TRUE(policy.has_value()) << text;
    options.policies.push_back({text, policy.value_or(PrecisionPolicy())});
  }
  return options;
}

TEST(SweepTest, NamesWhereSumsOfOnesStop) {
  const auto result =
      MeasureSweep(Ones({"w=bfloat16 a=bfloat16 acc=bfloat16", "w=float16 a=float16 acc=float16",
                         "w=bfloat16 a=bfloat16 acc=float8_e4m3 out=float32",
                         "w=bfloat16 a=bfloat16 acc=float8_e5m2 out=float32", "w=float32",
                         "w=bfloat16 a=bfloat16 acc=bfloat16/pairwise",
                         "w=bfloat16 a=bfloat16 acc=float8_e4m3fn/pairwise out=float32"}),
                   ParseSweep("k=2..4096").value());
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->follows_sums);
  std::vector<std::optional<std::int64_t>> stagnation;
  for (const SweepCurve& curve : result->curves) stagnation.push_back(curve.stagnation);
  const std::optional<std::int64_t> none;  // The last overflows, which is another thing.
  EXPECT_THAT(stagnation, ElementsAre(256, 2048, 16, 8, none, none, none));
  // From there on no output changes.
  for (const SweepPoint& point : result->curves[0].points) {
    EXPECT_EQ(point.unchanged, point.value > 256 ? 6 : 0) << point.value;
    EXPECT_EQ(point.changed, point.value > 256 || point.value == 2 ? 0 : 6) << point.value;
  }
}

TEST(SweepTest, TheLastValueIsNoStagnation) {
  // From 256 on nothing would change, but nothing follows to show it.
  const auto result =
      MeasureSweep(Ones({"w=bfloat16 a=bfloat16 acc=bfloat16"}), ParseSweep("k=64..256").value());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->curves[0].stagnation, std::nullopt);
}

TEST(SweepTest, ACallerWithoutValuesIsToldSo) {
  const auto result = MeasureSweep(Ones({}), Sweep());
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().message, HasSubstr("values"));
}

}  // namespace
}  // namespace narrowgauge
