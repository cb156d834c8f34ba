#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

void ExpectSameBits(const ErrorStatistics& a, const ErrorStatistics& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(Bits(a.max_abs), Bits(b.max_abs));
  EXPECT_EQ(Bits(a.sum_abs), Bits(b.sum_abs));
  EXPECT_EQ(Bits(a.sum_squares), Bits(b.sum_squares));
  EXPECT_EQ(Bits(a.reference_squares), Bits(b.reference_squares));
  EXPECT_EQ(a.nonfinite_results, b.nonfinite_results);
  EXPECT_EQ(a.first_nonfinite_result, b.first_nonfinite_result);
}

struct Elements {
  std::vector<double> reference;
  std::vector<double> value;
};

// Floats over many binades, and their neighbours in bfloat16's distance.
Elements RandomElements(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Elements elements;
  for (std::size_t i = 0; i < n; ++i) {
    const double mantissa =
        static_cast<double>(static_cast<std::int64_t>(bits() >> 40)) - (1 << 23);
    const double r = std::ldexp(mantissa, static_cast<int>(bits() % 40) - 40);
    elements.reference.push_back(r);
    elements.value.push_back(r + std::ldexp(r, -9) * static_cast<double>(bits() % 3));
  }
  return elements;
}

// Adds elements by parts of `length` consecutive ones, each from zero, merged in order.
ErrorStatistics InParts(const Elements& elements, std::size_t length) {
  ErrorStatistics whole;
  for (std::size_t begin = 0; begin < elements.reference.size(); begin += length) {
    const std::size_t n = std::min(length, elements.reference.size() - begin);
    ErrorStatistics part;
    AddErrors(std::span(elements.reference).subspan(begin, n),
              std::span(elements.value).subspan(begin, n), static_cast<std::int64_t>(begin), 1,
              part);
    MergeErrors(part, whole);
  }
  return whole;
}

TEST(ErrorStatisticsTest, AddsKnownErrors) {
  const std::vector<double> reference = {1, -2, 3};
  const std::vector<double> value = {1.5, -2, 1};
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics);
  ExpectSameBits(
      statistics,
      {.count = 3, .max_abs = 2, .sum_abs = 2.5, .sum_squares = 4.25, .reference_squares = 14});
}

TEST(ErrorStatisticsTest, NothingAddsNothing) {
  ErrorStatistics statistics;
  AddErrors({}, {}, 7, 3, statistics);
  MergeErrors(ErrorStatistics{}, statistics);
  ExpectSameBits(statistics, ErrorStatistics{});
}

TEST(ErrorStatisticsTest, ANonFiniteResultIsCountedAndAddsToNothingElse) {
  const std::vector<double> reference = {1, 2, 3, 4};
  const std::vector<double> value = {1, kInfinity, kNaN, 4.5};
  ErrorStatistics statistics;
  AddErrors(reference, value, 100, 10, statistics);
  ExpectSameBits(statistics, {.count = 2,
                              .max_abs = 0.5,
                              .sum_abs = 0.5,
                              .sum_squares = 0.25,
                              .reference_squares = 17,
                              .nonfinite_results = 2,
                              .first_nonfinite_result = 110});
}

TEST(ErrorStatisticsTest, TheFirstNonFiniteResultHasTheLowestIndex) {
  // Two channels of a matrix whose elements are numbered along the other axis.
  const std::vector<double> reference = {1, 1};
  const std::vector<double> late = {1, -kInfinity};
  const std::vector<double> early = {-kInfinity, 1};
  ErrorStatistics first_channel, second_channel, whole;
  AddErrors(reference, late, 0, 2, first_channel);
  AddErrors(reference, early, 1, 2, second_channel);
  MergeErrors(first_channel, whole);
  EXPECT_EQ(whole.first_nonfinite_result, 2);
  MergeErrors(second_channel, whole);
  EXPECT_EQ(whole.first_nonfinite_result, 1);
  EXPECT_EQ(whole.nonfinite_results, 2);
}

TEST(ErrorStatisticsTest, SumsOfPartialsAreThoseOfThePlainDoubleLoop) {
  constexpr auto kLength = static_cast<std::size_t>(ErrorStatistics::kPartialLength);
  for (const std::size_t n :
       {std::size_t{1}, kLength - 1, kLength, kLength + 1, 5 * kLength + 17}) {
    const Elements elements = RandomElements(n, n);
    ErrorStatistics expected;
    for (std::size_t begin = 0; begin < n; begin += kLength) {
      double sum_abs = 0, sum_squares = 0, reference_squares = 0;
      for (std::size_t i = begin; i < std::min(begin + kLength, n); ++i) {
        const double e = elements.value[i] - elements.reference[i];
        expected.max_abs = std::fmax(expected.max_abs, std::fabs(e));
        sum_abs += std::fabs(e);
        sum_squares += e * e;
        reference_squares += elements.reference[i] * elements.reference[i];
      }
      expected.sum_abs += sum_abs;
      expected.sum_squares += sum_squares;
      expected.reference_squares += reference_squares;
    }
    expected.count = static_cast<std::int64_t>(n);
    ExpectSameBits(InParts(elements, kLength), expected);
  }
}

TEST(ErrorStatisticsTest, PartsOfAnyLengthGiveTheSameBitsWhereSumsAreExact) {
  Elements elements;
  for (int i = 0; i < 3000; ++i) {
    elements.reference.push_back(i % 101 - 50);
    elements.value.push_back(i % 101 - 50 + 0.25 * (i % 7));
  }
  elements.value[2047] = kInfinity;
  const ErrorStatistics whole = InParts(elements, 3000);
  for (const std::size_t length : {1U, 7U, 1000U, 1024U, 2999U}) {
    ExpectSameBits(InParts(elements, length), whole);
  }
}

TEST(ErrorStatisticsTest, OtherBoundariesStayWithinTheBoundOfASum) {
  // Any two orders of a sum of n terms of one sign differ by at most 2 n u of it (Higham, Accuracy
  // and Stability of Numerical Algorithms, section 4.2), u = 2^-53; the terms are rounded alike.
  constexpr std::size_t kCount = 10'000;
  const double bound = 2 * kCount * 0x1p-53;
  const Elements elements = RandomElements(kCount, 1);
  const ErrorStatistics whole = InParts(elements, 1024);
  for (const std::size_t length : {1U, 100U, 333U, 10'000U}) {
    const ErrorStatistics other = InParts(elements, length);
    EXPECT_LE(std::abs(other.sum_abs - whole.sum_abs), bound * whole.sum_abs);
    EXPECT_LE(std::abs(other.sum_squares - whole.sum_squares), bound * whole.sum_squares);
    EXPECT_LE(std::abs(other.reference_squares - whole.reference_squares),
              bound * whole.reference_squares);
    EXPECT_EQ(Bits(other.max_abs), Bits(whole.max_abs));
  }
}

TEST(ErrorStatisticsTest, TheLargestFloatsDoNotOverflow) {
  const double largest = static_cast<double>(std::numeric_limits<float>::max());
  const std::vector<double> reference(1000, largest);
  const std::vector<double> value(1000, -largest);
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics);
  EXPECT_EQ(statistics.max_abs, 2 * largest);
  EXPECT_TRUE(std::isfinite(statistics.sum_squares));
}

TEST(ErrorStatisticsDeathTest, LengthsThatDifferAreABrokenPromise) {
  const std::vector<double> one(1), two(2);
  ErrorStatistics statistics;
  EXPECT_DEATH(AddErrors(one, two, 0, 1, statistics), "broken promise");
}

}  // namespace
}  // namespace narrowgauge
