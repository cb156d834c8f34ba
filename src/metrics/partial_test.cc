#include "src/metrics/partial.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace narrowgauge::internal {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

struct Floats {
  std::vector<float> reference, value;
};

// Any finite float, with values that are near, zero, of the other sign, or not finite.
Floats RandomFloats(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Floats floats;
  while (floats.reference.size() < n) {
    const auto r = std::bit_cast<float>(static_cast<std::uint32_t>(bits()));
    if (!std::isfinite(r)) continue;
    const float values[] = {r, r * 1.0078125F, 0.0F, -0.0F, -r, kInfinity, kNaN};
    floats.reference.push_back(r);
    const std::uint64_t kind = bits() % 40;
    floats.value.push_back(kind < 7 ? values[kind] : values[1]);
  }
  return floats;
}

std::vector<double> Widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(PartialTest, IsAddErrorsToTheBit) {
  for (const std::size_t n : {0U, 1U, 2U, 15U, 16U, 17U, 31U, 100U, 1000U, 1023U, 1024U}) {
    const Floats floats = RandomFloats(n, n + 1);
    ErrorStatistics expected, got;
    AddErrors(Widened(floats.reference), Widened(floats.value), 1000, 3, expected);
    const PartialSums sums = PlainPartial(floats.reference, floats.value);
    AddPartial(sums, got);
    NoteFirstIndices(sums, floats.reference, floats.value, 1000, 3, got);
    EXPECT_EQ(got.count, expected.count);
    EXPECT_EQ(Bits(got.max_abs), Bits(expected.max_abs));
    EXPECT_EQ(Bits(got.sum_abs.value), Bits(expected.sum_abs.value));
    EXPECT_EQ(Bits(got.sum_squares.value), Bits(expected.sum_squares.value));
    EXPECT_EQ(Bits(got.reference_squares.value), Bits(expected.reference_squares.value));
    EXPECT_EQ(expected.sum_abs.exponent, 0);
    EXPECT_EQ(expected.sum_squares.exponent, 0);
    EXPECT_EQ(expected.reference_squares.exponent, 0);
    EXPECT_EQ(got.nonfinite_results, expected.nonfinite_results);
    EXPECT_EQ(got.flushed_to_zero, expected.flushed_to_zero);
    EXPECT_EQ(got.sign_flipped, expected.sign_flipped);
    EXPECT_EQ(got.first_nonfinite_result, expected.first_nonfinite_result);
    EXPECT_EQ(got.first_flushed_to_zero, expected.first_flushed_to_zero);
    EXPECT_EQ(got.first_sign_flipped, expected.first_sign_flipped);
    EXPECT_EQ(got.covered, expected.covered);
  }
}

TEST(PartialTest, LanesAreFoldedInHalves) {
  // One by one, each small term would be lost: 2^-54 is a quarter of 1's ulp.
  const auto term = [](std::size_t i) { return i == 0 ? 1.0 : 0x1p-54; };
  EXPECT_EQ(SumInLanes(0, term), 0.0);
  EXPECT_EQ(SumInLanes(2, term), 1.0);
  // Lane 0 takes lane 8 (2^-54: lost), 4 (2^-53: a tie, lost), 2 (2^-52) and 1 (2^-51).
  EXPECT_EQ(SumInLanes(16, term), 1.0 + 3 * 0x1p-52);
  EXPECT_EQ(SumInLanes(17, term), 1.0 + 3 * 0x1p-52);  // Term 16 is lost in lane 0.
}

TEST(PartialTest, CountsWhatIsFlushedFlippedAndNotFinite) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const std::vector<float> reference = {1, 0.0F, -0.0F, tiny, tiny, -1, 2, 3};
  const std::vector<float> value = {1, 0.0F, 1, -0.0F, -tiny, 1, kNaN, -kInfinity};
  const PartialSums sums = PlainPartial(reference, value);
  EXPECT_EQ(sums.count, 6);
  EXPECT_EQ(sums.flushed_to_zero, 1);
  EXPECT_EQ(sums.sign_flipped, 2);
  EXPECT_EQ(sums.nonfinite_results, 2);
  ErrorStatistics statistics;
  AddPartial(sums, statistics);
  NoteFirstIndices(sums, reference, value, 100, 10, statistics);
  EXPECT_EQ(statistics.first_flushed_to_zero, 130);
  EXPECT_EQ(statistics.first_sign_flipped, 140);
  EXPECT_EQ(statistics.first_nonfinite_result, 160);
}

TEST(PartialDeathTest, MoreThanAPartialIsABrokenPromise) {
  const std::vector<float> values(1025);
  EXPECT_DEATH(static_cast<void>(PlainPartial(values, values)), "broken promise");
}

}  // namespace
}  // namespace narrowgauge::internal
