#include "src/metrics/partial.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace narrowgauge::internal {
namespace {

struct Floats {
  std::vector<float> reference, value;
};

// Any finite float, with values that are near, zero or of the other sign.
Floats RandomFloats(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  Floats floats;
  while (floats.reference.size() < n) {
    const auto r = std::bit_cast<float>(static_cast<std::uint32_t>(bits()));
    if (!std::isfinite(r)) continue;
    const float values[] = {r, r * 0.9921875F, 0.0F, -0.0F, -r};
    floats.reference.push_back(r);
    const std::uint64_t kind = bits() % 40;
    floats.value.push_back(kind < 5 ? values[kind] : values[1]);
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
    EXPECT_EQ(got.count, expected.count);
    EXPECT_EQ(Bits(got.max_abs), Bits(expected.max_abs));
    EXPECT_EQ(Bits(got.sum_abs.value), Bits(expected.sum_abs.value));
    EXPECT_EQ(Bits(got.sum_squares.value), Bits(expected.sum_squares.value));
    EXPECT_EQ(Bits(got.reference_squares.value), Bits(expected.reference_squares.value));
    EXPECT_EQ(expected.sum_abs.exponent, 0);
    EXPECT_EQ(expected.sum_squares.exponent, 0);
    EXPECT_EQ(expected.reference_squares.exponent, 0);
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

TEST(PartialDeathTest, MoreThanAPartialIsABrokenPromise) {
  const std::vector<float> values(1025);
  EXPECT_DEATH(static_cast<void>(PlainPartial(values, values)), "broken promise");
}

}  // namespace
}  // namespace narrowgauge::internal
