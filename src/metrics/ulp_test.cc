#include "src/metrics/ulp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "narrowgauge/error_metrics.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

// Returns the distance from each finite magnitude to the next larger one, in order of codes; the
// last one's from the one below it, which shares its binade.
std::vector<double> Distances(const DTypeInfo& info) {
  std::vector<double> distances;
  const std::uint64_t largest = LargestFiniteCode(info);
  for (std::uint64_t code = 0; code < largest; ++code) {
    distances.push_back(Decode(info, code + 1) - Decode(info, code));
  }
  distances.push_back(distances.back());
  return distances;
}

TEST(UlpTest, IsTheDistanceToTheNextValueForAllOf16BitsOrFewer) {
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    // A format without mantissa bits has one value per binade: its ulp is the value itself.
    if (info.kind != DTypeKind::kFloat || info.total_bits > 16 || info.mantissa_bits == 0) continue;
    SCOPED_TRACE(info.name);
    const UlpOf ulp(dtype);
    const std::vector<double> distances = Distances(info);
    for (std::uint64_t code = 0; code < distances.size(); ++code) {
      const double value = Decode(info, code);
      const double distance = distances[code];
      for (const double r : {value, value + distance / 2, value + distance * 0.999}) {
        ASSERT_EQ(std::ldexp(1, ulp.Exponent(r)), distance) << r;
        ASSERT_EQ(std::ldexp(1, ulp.Exponent(-r)), distance) << r;
      }
    }
    const double top = distances.back();
    EXPECT_EQ(std::ldexp(1, ulp.Exponent(Decode(info, LargestFiniteCode(info)) * 64)), top);
    EXPECT_EQ(std::ldexp(1, ulp.Exponent(1e300)), top);
    EXPECT_EQ(std::ldexp(1, ulp.Exponent(5e-324)), distances.front());
  }
}

TEST(UlpTest, ErrorsOfAll16BitValuesAreThoseOfBruteForce) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    const std::vector<double> distances = Distances(info);
    for (std::uint64_t code = 0; code < distances.size(); ++code) {
      // Off by 3/4 of the way to the next value: not a value of the format, exact in float64.
      const double reference = Decode(info, code);
      const double value = reference + 0.75 * distances[code];
      ErrorStatistics statistics;
      AddErrors({&reference, 1}, {&value, 1}, 0, 1, statistics,
                {.needs = ErrorNeeds::kUlp, .ulp_of = dtype});
      ASSERT_EQ(statistics.max_ulp, 0.75) << info.name << ' ' << code;
    }
  }
}

TEST(UlpTest, RoundingToNearestErrsByHalfAtMost) {
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    const double largest = Decode(info, LargestFiniteCode(info));
    double worst = 0;
    for (double r = std::ldexp(1, -30); r < largest; r *= 1.00037) {
      const double value = Decode(info, Encode(info, r));
      ErrorStatistics statistics;
      AddErrors({&r, 1}, {&value, 1}, 0, 1, statistics,
                {.needs = ErrorNeeds::kUlp, .ulp_of = dtype});
      worst = std::max(worst, statistics.max_ulp);
    }
    EXPECT_LE(worst, 0.5);
    EXPECT_GT(worst, 0.49);
  }
}

TEST(UlpTest, PowersOfTwoAndIntegers) {
  const UlpOf e8m0(DType::kFloat8E8M0Fnu);
  EXPECT_EQ(e8m0.Exponent(1), 0);
  EXPECT_EQ(e8m0.Exponent(7), 2);
  EXPECT_EQ(e8m0.Exponent(0), -127);
  EXPECT_EQ(e8m0.Exponent(1e300), 127);
  const UlpOf int8(DType::kInt8);
  for (const double r : {0.0, 0.01, 1.0, -77.0, 1e9}) EXPECT_EQ(int8.Exponent(r), 0);
}

TEST(UlpTest, Float64) {
  const UlpOf ulp(DType::kFloat64);
  EXPECT_EQ(ulp.Exponent(1), -52);
  EXPECT_EQ(ulp.Exponent(0), -1074);
  EXPECT_EQ(ulp.Exponent(5e-324), -1074);
  EXPECT_EQ(ulp.Exponent(1.7e308), 1023 - 52);
}

}  // namespace
}  // namespace narrowgauge::internal
