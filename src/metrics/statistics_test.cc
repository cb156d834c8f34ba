#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "narrowgauge/error_metrics.h"

namespace narrowgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

constexpr ErrorOptions kEverything = {.needs = ErrorNeeds::kAll};

void ExpectSameBits(const ScaledSum& a, const ScaledSum& b) {
  EXPECT_EQ(Bits(a.value), Bits(b.value));
  EXPECT_EQ(a.exponent, b.exponent);
}

void ExpectSameBits(const ErrorStatistics& a, const ErrorStatistics& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(Bits(a.max_abs), Bits(b.max_abs));
  ExpectSameBits(a.sum_abs, b.sum_abs);
  ExpectSameBits(a.sum_squares, b.sum_squares);
  ExpectSameBits(a.reference_squares, b.reference_squares);
  ExpectSameBits(a.value_squares, b.value_squares);
  ExpectSameBits(a.products, b.products);
  EXPECT_EQ(Bits(a.max_relative), Bits(b.max_relative));
  EXPECT_EQ(Bits(a.max_ulp), Bits(b.max_ulp));
  EXPECT_EQ(Bits(a.max_backward), Bits(b.max_backward));
  EXPECT_EQ(a.backward_count, b.backward_count);
  EXPECT_EQ(a.backward_over_zero, b.backward_over_zero);
  EXPECT_EQ(a.nonfinite_results, b.nonfinite_results);
  EXPECT_EQ(a.first_nonfinite_result, b.first_nonfinite_result);
  EXPECT_EQ(a.covered, b.covered);
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
              part, kEverything);
    MergeErrors(part, whole);
  }
  return whole;
}

// The statistics of `count` elements without those that were not asked for.
ErrorStatistics Basic(std::int64_t count, double max_abs, double sum_abs, double sum_squares,
                      double reference_squares) {
  ErrorStatistics statistics;
  statistics.count = count;
  statistics.max_abs = max_abs;
  statistics.sum_abs = {sum_abs};
  statistics.sum_squares = {sum_squares};
  statistics.reference_squares = {reference_squares};
  statistics.covered = ErrorNeeds::kBasic;
  return statistics;
}

TEST(ErrorStatisticsTest, AddsKnownErrors) {
  const std::vector<double> reference = {1, -2, 3};
  const std::vector<double> value = {1.5, -2, 1};
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics);
  ExpectSameBits(statistics, Basic(3, 2, 2.5, 4.25, 14));
}

TEST(ErrorStatisticsTest, AddsWhatIsAskedFor) {
  const std::vector<double> reference = {1, -2, 4, 0};
  const std::vector<double> value = {1.5, -2, 1, 0.125};
  const std::vector<double> magnitudes = {2, 2, 0, 0.25};
  ErrorStatistics expected = Basic(4, 3, 3.625, 9.265625, 21);
  const auto with = [&](ErrorNeeds needs) {
    ErrorStatistics statistics;
    AddErrors(reference, value, 0, 1, statistics,
              {.needs = needs, .ulp_of = DType::kFloat16, .magnitudes = magnitudes});
    return statistics;
  };
  expected.covered = ErrorNeeds::kRelative;
  expected.max_relative = 0.75;
  ExpectSameBits(with(ErrorNeeds::kRelative), expected);
  expected.covered = ErrorNeeds::kRelative | ErrorNeeds::kCosine;
  expected.products = {1.5 + 4 + 4};
  expected.value_squares = {2.25 + 4 + 1 + 0.015625};
  ExpectSameBits(with(expected.covered), expected);
  expected.covered = expected.covered | ErrorNeeds::kUlp;
  expected.max_ulp = 0x1p21;  // 1/8 in units of float16's smallest subnormal, 2^-24.
  ExpectSameBits(with(expected.covered), expected);
  expected.covered = ErrorNeeds::kAll;
  expected.max_backward = 0.5;
  expected.backward_count = 3;
  expected.backward_over_zero = 1;
  ExpectSameBits(with(expected.covered), expected);
}

TEST(ErrorStatisticsTest, CoversWhatEveryPartCovers) {
  const std::vector<double> one = {1};
  ErrorStatistics relative, cosine, whole;
  AddErrors(one, one, 0, 1, relative, {.needs = ErrorNeeds::kRelative | ErrorNeeds::kUlp});
  AddErrors(one, one, 0, 1, cosine, {.needs = ErrorNeeds::kCosine | ErrorNeeds::kUlp});
  MergeErrors(relative, whole);
  EXPECT_EQ(whole.covered, ErrorNeeds::kRelative | ErrorNeeds::kUlp);
  MergeErrors(ErrorStatistics{}, whole);
  EXPECT_EQ(whole.covered, ErrorNeeds::kRelative | ErrorNeeds::kUlp);
  MergeErrors(cosine, whole);
  EXPECT_EQ(whole.covered, ErrorNeeds::kUlp);
  // Without magnitudes there is no backward error, asked for or not.
  ErrorStatistics all;
  AddErrors(one, one, 0, 1, all, kEverything);
  EXPECT_EQ(all.covered, ~ErrorNeeds::kBackward);
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
  ErrorStatistics expected = Basic(2, 0.5, 0.5, 0.25, 17);
  expected.nonfinite_results = 2;
  expected.first_nonfinite_result = 110;
  ExpectSameBits(statistics, expected);
}

TEST(ErrorStatisticsTest, AnElementWithoutReferenceAddsNothingAndKeepsItsPlace) {
  Elements elements = RandomElements(3000, 5);
  Elements holes = elements;
  for (const std::size_t i : {0U, 5U, 1023U, 1024U, 2999U}) {
    holes.reference[i] = i % 2 == 0 ? kNaN : kInfinity;
    holes.value[i] = i == 5 ? kNaN : 1;
    elements.reference[i] = elements.value[i] = 0;  // Adds 0 in the same place.
  }
  ErrorStatistics with_holes, with_zeros;
  AddErrors(holes.reference, holes.value, 0, 1, with_holes, kEverything);
  AddErrors(elements.reference, elements.value, 0, 1, with_zeros, kEverything);
  EXPECT_EQ(with_holes.count, 2995);
  with_holes.count = 3000;
  ExpectSameBits(with_holes, with_zeros);
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

// The definition once more: sixteen lanes of products, each added fused, folded in halves.
double FoldedSum(const std::vector<std::pair<double, double>>& products) {
  std::vector<double> lanes(16);
  for (std::size_t i = 0; i < products.size(); ++i) {
    lanes[i % 16] = std::fma(products[i].first, products[i].second, lanes[i % 16]);
  }
  while (lanes.size() > 1) {
    const std::size_t half = lanes.size() / 2;
    for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[half + j];
    lanes.resize(half);
  }
  return lanes[0];
}

TEST(ErrorStatisticsTest, SumsOfPartialsAreThoseOfTheDefinition) {
  constexpr auto kLength = static_cast<std::size_t>(ErrorStatistics::kPartialLength);
  for (const std::size_t n : {std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17},
                              kLength - 1, kLength, kLength + 1, 5 * kLength + 17}) {
    const Elements elements = RandomElements(n, n);
    double sum_abs = 0, sum_squares = 0, reference_squares = 0, value_squares = 0, products = 0;
    for (std::size_t begin = 0; begin < n; begin += kLength) {
      std::vector<std::pair<double, double>> abs, squares, rr, vv, rv;
      for (std::size_t i = begin; i < std::min(begin + kLength, n); ++i) {
        const double r = elements.reference[i];
        const double v = elements.value[i];
        abs.emplace_back(std::fabs(v - r), 1.0);
        squares.emplace_back(v - r, v - r);
        rr.emplace_back(r, r);
        vv.emplace_back(v, v);
        rv.emplace_back(r, v);
      }
      sum_abs += FoldedSum(abs);
      sum_squares += FoldedSum(squares);
      reference_squares += FoldedSum(rr);
      value_squares += FoldedSum(vv);
      products += FoldedSum(rv);
    }
    ErrorStatistics whole;
    AddErrors(elements.reference, elements.value, 0, 1, whole, kEverything);
    ExpectSameBits(whole.sum_abs, {sum_abs});
    ExpectSameBits(whole.sum_squares, {sum_squares});
    ExpectSameBits(whole.reference_squares, {reference_squares});
    ExpectSameBits(whole.value_squares, {value_squares});
    ExpectSameBits(whole.products, {products});
    ExpectSameBits(InParts(elements, kLength), whole);
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
    const auto expect_near = [&](const ScaledSum& x, const ScaledSum& y) {
      EXPECT_LE(std::abs(x.value - y.value), bound * y.value);
    };
    expect_near(other.sum_abs, whole.sum_abs);
    expect_near(other.sum_squares, whole.sum_squares);
    expect_near(other.reference_squares, whole.reference_squares);
    expect_near(other.value_squares, whole.value_squares);
    expect_near(other.products, whole.products);  // No value has the other sign.
    EXPECT_EQ(Bits(other.max_relative), Bits(whole.max_relative));
    EXPECT_EQ(Bits(other.max_ulp), Bits(whole.max_ulp));
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
  const double expected = 1000 * 4 * largest * largest;
  EXPECT_NEAR(statistics.sum_squares.value, expected, 1001 * 0x1p-53 * expected);  // n roundings.
  EXPECT_EQ(statistics.sum_squares.exponent, 0);
}

long double Wide(const ScaledSum& sum) {
  return std::ldexp(static_cast<long double>(sum.value), sum.exponent);
}

// Elements of 10^decade, with errors of every kind.
Elements AtDecade(std::size_t n, double magnitude, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Elements elements;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = magnitude * (static_cast<double>(bits() % 2001) / 1000 - 1);
    elements.reference.push_back(r);
    elements.value.push_back(magnitude * (static_cast<double>(bits() % 2001) / 1000 - 1));
  }
  return elements;
}

TEST(ErrorStatisticsTest, ExtremeDataNeitherOverflowNorVanish) {
  // Long double has the exponents for the plain sums. A sum of n terms of one sign errs by (n + 2)
  // u at most, its terms included: e is rounded, then squared. Subnormal e * 2^-x have no place
  // here.
  constexpr std::size_t kCount = 3000;
  constexpr long double kBound = (kCount + 2) * 0x1p-53L;
  for (const double magnitude : {1e308, 1e200, 1e150, 1e-150, 1e-200, 1e-300}) {
    const Elements elements = AtDecade(kCount, magnitude, 3);
    long double sum_abs = 0, sum_squares = 0, rr = 0, vv = 0, rv = 0, rv_abs = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      const auto r = static_cast<long double>(elements.reference[i]);
      const auto v = static_cast<long double>(elements.value[i]);
      sum_abs += std::abs(v - r);
      sum_squares += (v - r) * (v - r);
      rr += r * r;
      vv += v * v;
      rv += r * v;
      rv_abs += std::abs(r * v);
    }
    ErrorStatistics got;
    AddErrors(elements.reference, elements.value, 0, 1, got, kEverything);
    EXPECT_LE(std::abs(Wide(got.sum_abs) - sum_abs), kBound * sum_abs) << magnitude;
    EXPECT_LE(std::abs(Wide(got.sum_squares) - sum_squares), kBound * sum_squares) << magnitude;
    EXPECT_LE(std::abs(Wide(got.reference_squares) - rr), kBound * rr) << magnitude;
    EXPECT_LE(std::abs(Wide(got.value_squares) - vv), kBound * vv) << magnitude;
    EXPECT_LE(std::abs(Wide(got.products) - rv), kBound * rv_abs) << magnitude;
    EXPECT_TRUE(std::isnormal(got.sum_squares.value)) << magnitude;
    EXPECT_TRUE(std::isnormal(got.products.value)) << magnitude;
    ExpectSameBits(InParts(elements, 1024), got);
  }
}

TEST(ErrorStatisticsTest, SmallPartsSurviveBesideLargeOnesWithoutErrors) {
  // The errors of the small part are all there are; the signal of the large one is all that counts.
  for (const double large : {1.0, 1e308}) {
    const std::vector<double> small_reference = {1e-308}, small_value = {-1e-308};
    ErrorStatistics small, exact;
    AddErrors(small_reference, small_value, 0, 1, small, kEverything);
    AddErrors({&large, 1}, {&large, 1}, 1, 1, exact, kEverything);
    ErrorStatistics one_way = small, other_way = exact;
    MergeErrors(exact, one_way);
    MergeErrors(small, other_way);
    ExpectSameBits(one_way, other_way);
    ExpectSameBits(one_way.sum_squares, small.sum_squares);
    EXPECT_GT(one_way.sum_squares.value, 0);
    ExpectSameBits(one_way.reference_squares, exact.reference_squares);
  }
}

TEST(ErrorStatisticsTest, DifferencesThatOverflowAreSummed) {
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> reference(32, largest), value(32, -largest);
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics, kEverything);
  EXPECT_EQ(statistics.max_abs, kInfinity);
  EXPECT_EQ(statistics.max_relative, 2);
  EXPECT_EQ(statistics.max_ulp,
            largest * 0x1p-103);  // 2 * largest in float32's largest ulp, 2^104.
  EXPECT_EQ(Wide(statistics.sum_abs), 64 * static_cast<long double>(largest));
}

TEST(ErrorStatisticsTest, SubnormalsAreKept) {
  const double tiny = 5e-324;
  const std::vector<double> reference = {tiny, 3 * tiny, 0}, value = {2 * tiny, 3 * tiny, 0};
  ErrorStatistics statistics;
  AddErrors(reference, value, 0, 1, statistics,
            {.needs = ErrorNeeds::kAll, .ulp_of = DType::kFloat64});
  EXPECT_EQ(statistics.max_abs, tiny);
  EXPECT_EQ(statistics.max_relative, 1);
  EXPECT_EQ(statistics.max_ulp, 1);
  ExpectSameBits(statistics.sum_squares, {1, 2 * -1074});
  ExpectSameBits(statistics.reference_squares, {10.0 / 4, 2 * -1073});
  ExpectSameBits(statistics.products, {11.0 / 4, 2 * -1073});
}

TEST(ErrorStatisticsDeathTest, LengthsThatDifferAreABrokenPromise) {
  const std::vector<double> one(1), two(2);
  ErrorStatistics statistics;
  EXPECT_DEATH(AddErrors(one, two, 0, 1, statistics), "broken promise");
}

}  // namespace
}  // namespace narrowgauge
