#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>
#include <string_view>
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

ErrorStatistics Statistics(const std::vector<double>& reference, const std::vector<double>& value,
                           const std::vector<double>& magnitudes = {}) {
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics,
            {.needs = ErrorNeeds::kAll, .ulp_of = DType::kBFloat16, .magnitudes = magnitudes});
  return statistics;
}

MetricValue Compute(std::string_view name, const std::vector<double>& reference,
                    const std::vector<double>& value, const std::vector<double>& magnitudes = {}) {
  return Find(name).compute(Statistics(reference, value, magnitudes));
}

std::vector<std::string_view> Names(const std::vector<const Metric*>& metrics) {
  std::vector<std::string_view> names;
  for (const Metric* metric : metrics) names.push_back(metric->name);
  return names;
}

TEST(MetricsTest, TheDefaultSetIsInItsOrder) {
  EXPECT_THAT(Names(DefaultMetrics()),
              testing::ElementsAre("max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius"));
  EXPECT_EQ(NeedsOf(DefaultMetrics()), ErrorNeeds::kBasic);
}

TEST(MetricsTest, NamesDiffer) {
  std::set<std::string_view> names;
  for (const Metric& metric : AllMetrics()) EXPECT_TRUE(names.insert(metric.name).second);
}

TEST(MetricsTest, AMetricSaysWhatItNeeds) {
  // Each has its value with these needs alone, and the same as with all; without them, if it has
  // any needs, a reason.
  const std::vector<double> reference = {3, -4, 1, 0}, value = {3, -4.5, 1.25, 0.5},
                            magnitudes = {9, 16, 1, 1};
  for (const Metric& metric : AllMetrics()) {
    const auto with = [&](ErrorNeeds needs) {
      ErrorStatistics statistics;
      AddErrors(reference, value, 0, 1, statistics, {.needs = needs, .magnitudes = magnitudes});
      return metric.compute(statistics);
    };
    EXPECT_TRUE(with(metric.needs).value.has_value()) << metric.name;
    EXPECT_EQ(with(metric.needs).value, with(ErrorNeeds::kAll).value) << metric.name;
    EXPECT_EQ(with(~metric.needs).value.has_value(), metric.needs == ErrorNeeds::kBasic)
        << metric.name;
  }
}

TEST(MetricListTest, ReadsNamesInTheOrderGiven) {
  EXPECT_THAT(Names(ParseMetricList("cosine,max_abs_err").value()),
              testing::ElementsAre("cosine", "max_abs_err"));
  EXPECT_EQ(NeedsOf(ParseMetricList("cosine,ulp_err,sqnr_db").value()),
            ErrorNeeds::kCosine | ErrorNeeds::kUlp);
}

TEST(MetricListTest, AllStandsForAll) {
  const auto all = ParseMetricList("all").value();
  ASSERT_EQ(all.size(), AllMetrics().size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], &AllMetrics()[i]);
  EXPECT_EQ(NeedsOf(all), ErrorNeeds::kAll);
}

TEST(MetricListTest, RefusesUnknownNamesWithTheAcceptedOnesAndTheNearest) {
  const auto error = ParseMetricList("max_abs_err,cosin").error();
  EXPECT_EQ(error.code, StatusCode::kInvalidArgument);
  EXPECT_EQ(error.message,
            "unknown metric; expected one of max_abs_err, mean_abs_err, sqnr_db, rel_frobenius, "
            "max_rel_err, cosine, ulp_err, backward_err, all (nearest: cosine): \"cosin\"");
  for (const std::string_view names : {"", ",", "cosine,", ",cosine", " cosine", "COSINE"}) {
    EXPECT_FALSE(ParseMetricList(names).has_value()) << names;
  }
}

TEST(MetricListTest, RefusesDuplicates) {
  for (const std::string_view names : {"cosine,cosine", "all,cosine", "cosine,all"}) {
    EXPECT_EQ(ParseMetricList(names).error().message,
              "metric given twice; expected each once: \"cosine\"");
  }
  EXPECT_FALSE(ParseMetricList("all,all").has_value());
}

TEST(MetricsTest, KnownAnswers) {
  const std::vector<double> reference = {3, -4, 0, 0};
  const std::vector<double> value = {3, -4, 0.5, 0};
  EXPECT_EQ(Compute("max_abs_err", reference, value).value, 0.5);
  EXPECT_EQ(Compute("mean_abs_err", reference, value).value, 0.125);
  EXPECT_EQ(Compute("sqnr_db", reference, value).value, 20);  // 25 / 0.25 is 100.
  EXPECT_EQ(Compute("rel_frobenius", reference, value).value, 0.1);
  EXPECT_EQ(Compute("max_rel_err", reference, value).value, 0);
  EXPECT_EQ(Compute("max_rel_err", {2, -4}, {3, -3}).value, 0.5);
  EXPECT_EQ(Compute("cosine", {3, 4}, {4, 3}).value, 0.96);
  EXPECT_EQ(Compute("cosine", {3, 4}, {-6, -8}).value, -1);
  EXPECT_EQ(Compute("ulp_err", {1, 0}, {1.015625, 0}).value, 2);  // bfloat16: 2^-7 at 1.
  EXPECT_EQ(Compute("ulp_err", {0}, {0x1p-133}).value, 1);        // Its smallest subnormal.
  EXPECT_EQ(Compute("backward_err", {1, 2}, {1.5, 2}, {4, 2}).value, 0.125);
}

TEST(MetricsTest, OneSideHasValueOrReason) {
  const ErrorStatistics cases[] = {ErrorStatistics{},
                                   Statistics({0}, {1}),
                                   Statistics({1}, {1}),
                                   Statistics({1}, {0}),
                                   Statistics({1, 0}, {2, 1}, {1, 0}),
                                   Statistics({1}, {2}, {0}),
                                   Statistics({1e308}, {-1e308}, {1e-308}),
                                   Statistics({1e-308}, {1e308}),
                                   Statistics({1e308}, {1e308 + 0x1p971}),
                                   Statistics({1}, {kInfinity})};
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
  EXPECT_EQ(Compute("max_rel_err", {0}, {1}).reason, "zero signal");
  EXPECT_EQ(Compute("cosine", {0}, {0}).reason, "zero signal");
  EXPECT_EQ(Compute("cosine", {1}, {0}).reason, "zero result");
  EXPECT_EQ(Compute("ulp_err", {0}, {0}).value, 0);
}

TEST(MetricsTest, BackwardErrorIsOfProducts) {
  EXPECT_EQ(Compute("backward_err", {1}, {2}).reason, "no product");
  EXPECT_EQ(Compute("backward_err", {0}, {0}, {0}).reason, "zero operands");
  EXPECT_EQ(Compute("backward_err", {0}, {1}, {0}).reason, "zero operands");
  const ErrorStatistics statistics = Statistics({0, 0, 1}, {0, 1, 1.5}, {0, 0, 2});
  EXPECT_EQ(Find("backward_err").compute(statistics).value, 0.25);
  EXPECT_EQ(statistics.backward_count, 1);
  EXPECT_EQ(statistics.backward_over_zero, 1);
}

TEST(MetricsTest, WhatNoFloat64HoldsHasAReason) {
  EXPECT_EQ(Compute("max_abs_err", {1e308}, {-1e308}).reason, "beyond float64");
  EXPECT_EQ(Compute("mean_abs_err", {1e308}, {-1e308}).reason, "beyond float64");
  EXPECT_EQ(Compute("max_rel_err", {1e-308}, {1e308}).reason, "beyond float64");
  EXPECT_EQ(Compute("rel_frobenius", {1e308, 0}, {-1e308, 0}).value, 2);
  EXPECT_EQ(Compute("cosine", {1e308, 1e308}, {-1e308, -1e308}).value, -1);
  // 20 log10(2^2045) and its negative, where neither square nor quotient is a float64. The
  // logarithm's product and the last sum round; 8 ulp are enough for them.
  const double expected = 20 * 2045 * std::log10(2.0);
  EXPECT_NEAR(*Compute("sqnr_db", {0x1p1023, 0}, {0x1p1023, 0x1p-1022}).value, expected,
              8 * 0x1p-52 * expected);
  EXPECT_NEAR(*Compute("sqnr_db", {0x1p-1022}, {0x1p1023}).value, -expected,
              8 * 0x1p-52 * expected);
}

TEST(MetricsTest, NoErrorIsZeroOrExact) {
  const std::vector<double> values = {1, -2, 0, 1e-30};
  EXPECT_EQ(Compute("max_abs_err", values, values).value, 0);
  EXPECT_EQ(Compute("mean_abs_err", values, values).value, 0);
  EXPECT_EQ(Compute("rel_frobenius", values, values).value, 0);
  EXPECT_EQ(Compute("sqnr_db", values, values).reason, "exact");
  EXPECT_EQ(Compute("max_rel_err", values, values).value, 0);
  EXPECT_EQ(Compute("cosine", values, values).value, 1);
  EXPECT_EQ(Compute("ulp_err", values, values).value, 0);
  EXPECT_EQ(Compute("backward_err", values, values, values).value, 0);
}

TEST(MetricsTest, ScalingByAPowerOfTwoKeepsRelativeMetricsToTheBit) {
  const std::vector<double> reference = {0.3, -1.7, 2.9, 1e-3, 55.1};
  const std::vector<double> value = {0.31, -1.69, 2.9, 0.9e-3, 55.0};
  for (const int exponent : {-900, -420, -395, -120, -7, 1, 100, 399, 700, 1000}) {
    std::vector<double> scaled_reference, scaled_value;
    for (const double r : reference) scaled_reference.push_back(std::ldexp(r, exponent));
    for (const double v : value) scaled_value.push_back(std::ldexp(v, exponent));
    for (const std::string_view name : {"sqnr_db", "rel_frobenius", "cosine", "max_rel_err"}) {
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

TEST(MetricsTest, ScalingKeepsRelativeMetricsWhereverThePartialsLie) {
  // Thirteen partials, each 2^100 times the one before, so that every scale moves some of them
  // across the bounds of 2^-400 and 2^400.
  std::mt19937_64 bits(17);
  std::vector<double> reference, value;
  for (int partial = 0; partial < 13; ++partial) {
    for (std::int64_t i = 0; i < ErrorStatistics::kPartialLength; ++i) {
      const auto integer = static_cast<double>(bits() % 1000 + 1);
      reference.push_back(std::ldexp(integer, 100 * partial - 600));
      value.push_back(reference.back() * (1 + static_cast<double>(bits() % 5) / 128));
    }
  }
  const auto scaled = [](std::vector<double> values, int exponent) {
    for (double& x : values) x = std::ldexp(x, exponent);
    return values;
  };
  for (const int exponent : {-380, -250, -99, -1, 1, 50, 350}) {
    for (const std::string_view name : {"sqnr_db", "rel_frobenius", "cosine", "max_rel_err"}) {
      const double expected = *Compute(name, reference, value).value;
      EXPECT_EQ(*Compute(name, scaled(reference, exponent), scaled(value, exponent)).value,
                expected)
          << name << " scaled by 2^" << exponent;
    }
    EXPECT_EQ(*Compute("cosine", reference, scaled(value, exponent)).value,
              *Compute("cosine", reference, value).value);
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

// Integers of at most 1000 in magnitude: every sum of every metric is exact, and so is the
// definition.
struct Integers {
  std::vector<std::int64_t> reference, value, magnitude;
};

Integers RandomIntegers(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Integers integers;
  for (std::size_t i = 0; i < n; ++i) {
    integers.reference.push_back(static_cast<std::int64_t>(bits() % 2001) - 1000);
    integers.value.push_back(static_cast<std::int64_t>(bits() % 2001) - 1000);
    integers.magnitude.push_back(static_cast<std::int64_t>(bits() % 5));
  }
  return integers;
}

std::vector<double> ToFloat64(const std::vector<std::int64_t>& integers) {
  return {integers.begin(), integers.end()};
}

TEST(MetricsTest, EqualsExactArithmetic) {
  for (const std::size_t n : {1U, 2U, 20U, 500U, 3000U}) {
    const Integers integers = RandomIntegers(n, n + 40);
    const ErrorStatistics statistics = Statistics(
        ToFloat64(integers.reference), ToFloat64(integers.value), ToFloat64(integers.magnitude));
    std::int64_t max = 0, abs = 0, ee = 0, rr = 0, vv = 0, rv = 0;
    std::int64_t rel_over = 0, rel_under = 1;    // The largest |e|/|r|, as a fraction.
    std::int64_t back_over = 0, back_under = 1;  // The largest |e|/magnitude.
    const auto raise = [](std::int64_t over, std::int64_t under, std::int64_t& max_over,
                          std::int64_t& max_under) {
      if (under == 0 || over * max_under <= max_over * under) return;
      max_over = over;
      max_under = under;
    };
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t r = integers.reference[i];
      const std::int64_t v = integers.value[i];
      const std::int64_t e = std::abs(v - r);
      max = std::max(max, e);
      abs += e;
      ee += e * e;
      rr += r * r;
      vv += v * v;
      rv += r * v;
      raise(e, std::abs(r), rel_over, rel_under);
      raise(e, integers.magnitude[i], back_over, back_under);
    }
    const auto quotient = [](std::int64_t a, std::int64_t b) {
      return static_cast<double>(a) / static_cast<double>(b);
    };
    const auto value = [&](std::string_view name) { return Find(name).compute(statistics).value; };
    // One rounding each, of the exact quotient; the largest quotient rounds to the largest result.
    EXPECT_EQ(value("max_abs_err"), static_cast<double>(max));
    EXPECT_EQ(value("mean_abs_err"), quotient(abs, static_cast<std::int64_t>(n)));
    EXPECT_EQ(value("max_rel_err"), quotient(rel_over, rel_under));
    EXPECT_EQ(value("backward_err").value_or(0), quotient(back_over, back_under));
    EXPECT_EQ(value("rel_frobenius"), std::sqrt(quotient(ee, rr)));
    EXPECT_EQ(value("sqnr_db"), 10 * std::log10(quotient(rr, ee)));
    // Product under the root, root and quotient round: 0.5 u, u and u, with u = 2^-53.
    const long double cosine =
        static_cast<long double>(rv) /
        std::sqrt(static_cast<long double>(rr) * static_cast<long double>(vv));
    EXPECT_LE(std::abs(static_cast<long double>(*value("cosine")) - cosine),
              3 * 0x1p-53L * std::abs(cosine));
  }
}

TEST(MetricsTest, EqualsTheTwoPassDefinitionWithinItsBound) {
  // Against long double. u = 2^-53. A sum of n terms of one sign errs by n u of it, with (e*e) or
  // (r*r) rounded and e rounded twice in e*e by another 3 u: relative (n + 3) u. Quotients of two
  // sums: 2 (n + 3) u + u, halved by a root that rounds once more.
  constexpr std::size_t kCount = 5000;
  constexpr double kSum = (kCount + 3) * 0x1p-53;
  constexpr double kSlack = 4 * 0x1p-53;
  std::mt19937_64 bits(11);
  const auto uniform = [&] { return std::ldexp(static_cast<double>(bits() >> 11), -53); };
  for (const double noise : {0.5, 1e-3, 1e-9}) {
    std::vector<double> reference, value;
    for (std::size_t i = 0; i < kCount; ++i) {
      const double r = (uniform() - 0.5) * std::ldexp(1, static_cast<int>(bits() % 20));
      reference.push_back(r);
      value.push_back(r * (1 + noise * (uniform() - 0.5)));
    }
    long double abs = 0, ee = 0, rr = 0, vv = 0, rv = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto r = static_cast<long double>(reference[i]);
      const auto v = static_cast<long double>(value[i]);
      abs += std::abs(v - r);
      ee += (v - r) * (v - r);
      rr += r * r;
      vv += v * v;
      rv += r * v;
    }
    const auto difference = [&](std::string_view name, long double expected) {
      const auto got = static_cast<long double>(*Compute(name, reference, value).value);
      return static_cast<double>(std::abs(got - expected));
    };
    const auto mean = abs / static_cast<long double>(kCount);
    EXPECT_LE(difference("mean_abs_err", mean), static_cast<double>(mean) * (kSum + kSlack));
    const long double frobenius = std::sqrt(ee / rr);
    EXPECT_LE(difference("rel_frobenius", frobenius),
              static_cast<double>(frobenius) * (kSum + kSlack));
    const long double sqnr_db = 10 * std::log10(rr / ee);
    EXPECT_LE(difference("sqnr_db", sqnr_db), 10 / std::log(10) * 2 * (kSum + kSlack) +
                                                  std::abs(static_cast<double>(sqnr_db)) * kSlack);
    // By Cauchy and Schwarz the sum of |r v| is at most the root below, which is 1 here.
    const long double cosine = rv / std::sqrt(rr * vv);
    EXPECT_LE(difference("cosine", cosine), 2 * kSum + kSlack);
  }
}

}  // namespace
}  // namespace narrowgauge
