#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "narrowgauge/experiment.h"

namespace narrowgauge {
namespace {

MeasureOptions Options(std::vector<std::string> policies, RandomShape shape = {0, 64, 40}) {
  MeasureOptions options;
  options.random = shape;
  options.error_of = ErrorOf::kWeights;
  for (const std::string& text : policies) {
    options.policies.push_back({text, ParsePolicy(text).value()});
  }
  return options;
}

StatusCode Refusal(const MeasureOptions& options) {
  const auto comparison = CompareConventions(options);
  EXPECT_FALSE(comparison.has_value());
  return comparison ? StatusCode::kInternal : comparison.error().code;
}

std::size_t CountSchemes(const QuantizationSpec& wanted) {
  std::size_t count = 0;
  for (const Convention& row : AllConventions()) {
    const QuantizationSpec spec = ParseSpec(row.spec).value();
    if (spec.block_format == wanted.block_format && spec.dtype == wanted.dtype) ++count;
  }
  return count;
}

TEST(CompareConventionsTest, OneRowForUsAndForEachSchemeOfTheFormat) {
  for (const std::string text : {"w=int8/channel", "w=int4/group:32", "w=mxfp4"}) {
    const auto comparison = CompareConventions(Options({text}));
    ASSERT_TRUE(comparison.has_value()) << text << ": " << comparison.error().message;
    EXPECT_EQ(comparison->conventions.size(), 1 + CountSchemes(ParsePolicy(text)->weights)) << text;
    EXPECT_EQ(comparison->result.rows.size(), comparison->conventions.size());
    EXPECT_EQ(comparison->conventions[0].convention, nullptr);
    EXPECT_EQ(comparison->result.rows[0].policy.name, "narrowgauge");
  }
}

TEST(CompareConventionsTest, OurRowIsWhatMeasureSays) {
  const MeasureOptions options = Options({"w=int8/channel"});
  const auto comparison = CompareConventions(options);
  const auto measured = Measure(options);
  ASSERT_TRUE(comparison.has_value() && measured.has_value());
  const Measurement& ours = comparison->result.rows[0];
  EXPECT_EQ(ours.statistics.max_abs, measured->rows[0].statistics.max_abs);
  EXPECT_EQ(ours.statistics.sum_squares.value, measured->rows[0].statistics.sum_squares.value);
  EXPECT_EQ(ours.weight_counts, measured->rows[0].weight_counts);
}

TEST(CompareConventionsTest, RowsAreAlikeOrDiffer) {
  const auto comparison = CompareConventions(Options({"w=int8/channel"}));
  ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
  std::vector<std::size_t> firsts;
  for (std::size_t row = 0; row < comparison->conventions.size(); ++row) {
    const ComparedConvention& compared = comparison->conventions[row];
    const Measurement& measured = comparison->result.rows[row];
    EXPECT_EQ(measured.statistics.count == 0, !compared.refused.empty()) << measured.policy.name;
    EXPECT_LE(compared.same_values_as, row);
    if (!compared.refused.empty()) continue;
    if (compared.same_values_as == row) firsts.push_back(row);
    const Measurement& same = comparison->result.rows[compared.same_values_as];
    EXPECT_EQ(measured.statistics.sum_squares.value, same.statistics.sum_squares.value);
  }
  EXPECT_EQ(comparison->differences.size(), firsts.size() * (firsts.size() - 1) / 2);
  for (const ValueDifference& pair : comparison->differences) {
    EXPECT_LT(pair.first, pair.second);
    EXPECT_THAT(firsts, testing::IsSupersetOf({pair.first, pair.second}));
    EXPECT_GT(pair.count, 0);
    EXPECT_LE(pair.count, comparison->result.k * comparison->result.n);
    EXPECT_LT(pair.k, comparison->result.k);
    EXPECT_LT(pair.n, comparison->result.n);
    EXPECT_NE(pair.first_value, pair.second_value);
    EXPECT_GE(pair.max_abs_difference, std::abs(static_cast<double>(pair.first_value) -
                                                static_cast<double>(pair.second_value)));
  }
}

TEST(CompareConventionsTest, ThreadsLeaveNoTrace) {
  MeasureOptions options = Options({"w=int8/tensor"}, {0, 33, 300});
  const auto one = CompareConventions(options);
  options.threads = 5;
  const auto five = CompareConventions(options);
  ASSERT_TRUE(one.has_value() && five.has_value());
  ASSERT_EQ(one->differences.size(), five->differences.size());
  for (std::size_t i = 0; i < one->differences.size(); ++i) {
    const ValueDifference& a = one->differences[i];
    const ValueDifference& b = five->differences[i];
    EXPECT_EQ(std::tie(a.first, a.second, a.count, a.k, a.n, a.first_value, a.second_value,
                       a.max_abs_difference),
              std::tie(b.first, b.second, b.count, b.k, b.n, b.first_value, b.second_value,
                       b.max_abs_difference));
  }
}

TEST(CompareConventionsTest, EmptyMatricesAreAllAlike) {
  for (const RandomShape shape : {RandomShape{0, 0, 5}, RandomShape{0, 32, 0}}) {
    const auto comparison = CompareConventions(Options({"w=int8/channel"}, shape));
    ASSERT_TRUE(comparison.has_value()) << comparison.error().message;
    EXPECT_TRUE(comparison->differences.empty());
  }
}

TEST(CompareConventionsTest, PoliciesAreRefused) {
  EXPECT_TRUE(CompareConventions(Options({})).has_value());
  EXPECT_EQ(Refusal(Options({"w=bfloat16"})), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Options({"a=int8/tensor"})), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Options({"w=int8/channel", "w=int8/tensor"})), StatusCode::kInvalidArgument);
  EXPECT_EQ(Refusal(Options({"w=int8/channel"}, {0, 1 << 30, 1 << 30})),
            StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace narrowgauge
