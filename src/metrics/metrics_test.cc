#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Metric& Find(std::string_view name) {
  for (const Metric& metric : AllMetrics()) {
    if (metric.name == name) return metric;
  }
  ADD_FAILURE() << "no metric " << name;
  return AllMetrics().front();
}

MetricValue Compute(std::string_view name, const std::vector<double>& reference,
                    const std::vector<double>& value) {
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics);
  return Find(name).compute(statistics);
}

TEST(MetricsTest, TheDefaultSetIsInItsOrder) {
  std::vector<std::string_view> names;
  for (const Metric& metric : AllMetrics()) names.push_back(metric.name);
  EXPECT_THAT(names,
              testing::ElementsAre("max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius"));
}

TEST(MetricsTest, KnownAnswers) {
  const std::vector<double> reference = {3, -4, 0, 0};
  const std::vector<double> value = {3, -4, 0.5, 0};
  EXPECT_EQ(Compute("max_abs_err", reference, value).value, 0.5);
  EXPECT_EQ(Compute("mean_abs_err", reference, value).value, 0.125);
  EXPECT_EQ(Compute("sqnr_db", reference, value).value, 20);  // 25 / 0.25 is 100.
  EXPECT_EQ(Compute("rel_frobenius", reference, value).value, 0.1);
}

TEST(MetricsTest, OneSideHasValueOrReason) {
  const std::vector<ErrorStatistics> cases = {
      {},
      {.count = 1},
      {.count = 1, .max_abs = 1, .sum_abs = 1, .sum_squares = 1},
      {.count = 1, .reference_squares = 1},
      {.count = 1, .max_abs = 1, .sum_abs = 1, .sum_squares = 1, .reference_squares = 1},
      {.count = 1, .nonfinite_results = 1, .first_nonfinite_result = 0}};
  for (const Metric& metric : AllMetrics()) {
    for (const ErrorStatistics& statistics : cases) {
      const MetricValue result = metric.compute(statistics);
      EXPECT_EQ(result.value.has_value(), result.reason.empty()) << metric.name;
      EXPECT_TRUE(std::isfinite(result.value.value_or(0))) << metric.name;
    }
  }
}

TEST(MetricsTest, NothingHasNoMetrics) {
  for (const Metric& metric : AllMetrics()) {
    EXPECT_EQ(metric.compute(ErrorStatistics{}).reason, "no elements") << metric.name;
  }
}

TEST(MetricsTest, ANonFiniteResultVoidsAllErrors) {
  for (const Metric& metric : AllMetrics()) {
    EXPECT_EQ(Compute(metric.name, {1, 2}, {1, kInfinity}).reason, "nonfinite result");
    EXPECT_EQ(Compute(metric.name, {1}, {kInfinity}).reason, "nonfinite result");
  }
}

TEST(MetricsTest, AZeroSignalIsTestedBeforeExactness) {
  EXPECT_EQ(Compute("sqnr_db", {0, -0.0}, {0, 0}).reason, "zero signal");
  EXPECT_EQ(Compute("sqnr_db", {0}, {1}).reason, "zero signal");
  EXPECT_EQ(Compute("rel_frobenius", {0}, {0}).reason, "zero signal");
  EXPECT_EQ(Compute("rel_frobenius", {0}, {1}).reason, "zero signal");
  EXPECT_EQ(Compute("max_abs_err", {0}, {0}).value, 0);
  EXPECT_EQ(Compute("mean_abs_err", {0}, {1}).value, 1);
}

TEST(MetricsTest, NoErrorIsZeroOrExact) {
  const std::vector<double> values = {1, -2, 0, 1e-30};
  EXPECT_EQ(Compute("max_abs_err", values, values).value, 0);
  EXPECT_EQ(Compute("mean_abs_err", values, values).value, 0);
  EXPECT_EQ(Compute("rel_frobenius", values, values).value, 0);
  EXPECT_EQ(Compute("sqnr_db", values, values).reason, "exact");
}

TEST(MetricsTest, ScalingByAPowerOfTwoKeepsRelativeMetricsToTheBit) {
  const std::vector<double> reference = {0.3, -1.7, 2.9, 1e-3, 55.1};
  const std::vector<double> value = {0.31, -1.69, 2.9, 0.9e-3, 55.0};
  for (const int exponent : {-120, -7, 1, 100}) {
    std::vector<double> scaled_reference, scaled_value;
    for (const double r : reference) scaled_reference.push_back(std::ldexp(r, exponent));
    for (const double v : value) scaled_value.push_back(std::ldexp(v, exponent));
    for (const std::string_view name : {"sqnr_db", "rel_frobenius"}) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(*Compute(name, scaled_reference, scaled_value).value),
                std::bit_cast<std::uint64_t>(*Compute(name, reference, value).value))
          << name << " scaled by 2^" << exponent;
    }
    for (const std::string_view name : {"max_abs_err", "mean_abs_err"}) {
      EXPECT_EQ(*Compute(name, scaled_reference, scaled_value).value,
                std::ldexp(*Compute(name, reference, value).value, exponent));
    }
  }
}

TEST(MetricsTest, TwoWaysOfSayingTheSame) {
  // sqnr_db = -20 log10(rel_frobenius). Quotient, root and logarithm are each within a few ulp; an
  // error of 1 ulp in the root moves the logarithm by less than 20 / ln 10 * 2^-52.
  const std::vector<double> reference = {0.3, -1.7, 2.9};
  const std::vector<double> value = {0.31, -1.69, 2.9};
  const double sqnr_db = *Compute("sqnr_db", reference, value).value;
  const double rel_frobenius = *Compute("rel_frobenius", reference, value).value;
  EXPECT_NEAR(sqnr_db, -20 * std::log10(rel_frobenius), (4 * 20 / std::log(10) + 4 * 64) * 0x1p-52);
}

}  // namespace
}  // namespace narrowgauge
