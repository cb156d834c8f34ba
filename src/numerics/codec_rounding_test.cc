#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/numerics/codec.h"
#include "src/numerics/rounding.h"
#include "src/numerics/test_formats.h"
#include "tests/support/thoroughness.h"

// Rounding between every two neighbours of a format, judged by comparing float64 values, which is
// exact: a value is below, at or above the middle of its neighbours, and the middle is a float64
// itself. Not for float64, in which each input is its own result.

namespace narrowgauge::internal {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;

// Two neighbours, the one nearer to zero first.
struct Pair {
  double inner, outer;
  std::uint64_t inner_code, outer_code;
  bool inner_is_even;
};

class RoundingTest : public testing::TestWithParam<DTypeInfo> {
 protected:
  // The codes that are followed by a finite one: all of up to 19 bits (a stride of those of more
  // than 16 under sanitizers); of float32 both sides of each power of two, and a spread.
  [[nodiscard]] std::vector<std::uint64_t> Magnitudes() const {
    const std::uint64_t last = LargestFiniteCode(info_);
    std::vector<std::uint64_t> magnitudes;
    if (info_.total_bits <= 19) {
      const std::uint64_t stride = info_.total_bits <= 16 ? 1 : test::kStride;
      for (std::uint64_t code = 0; code < last; code += stride) magnitudes.push_back(code);
      return magnitudes;
    }
    for (std::uint64_t code = 0; code < last; code += std::uint64_t{1} << info_.mantissa_bits) {
      for (const std::uint64_t next : {code, code + 1, code - 1}) {
        if (next < last) magnitudes.push_back(next);
      }
    }
    for (std::uint64_t code = 0; code < last; code += 40'009) magnitudes.push_back(code);
    return magnitudes;
  }

  [[nodiscard]] Pair PositivePair(std::uint64_t code) const {
    // Where there are no mantissa bits, the larger is even.
    const bool only_exponents = info_.kind == DTypeKind::kFloat && info_.mantissa_bits == 0;
    return {Decode(info_, code), Decode(info_, code + 1), code, code + 1,
            !only_exponents && code % 2 == 0};
  }

  [[nodiscard]] Pair Negative(const Pair& pair) const {
    const std::uint64_t bits = kAllOnes >> (64 - info_.total_bits);
    Pair negative{-pair.inner, -pair.outer, 0, 0, pair.inner_is_even};
    if (info_.kind == DTypeKind::kInteger) {
      negative.inner_code = (~pair.inner_code + 1) & bits;
      negative.outer_code = (~pair.outer_code + 1) & bits;
      return negative;
    }
    const std::uint64_t sign = std::uint64_t{1} << (info_.total_bits - 1);
    const bool no_negative_zero = info_.special_values == SpecialValues::kNanNegativeZero;
    negative.inner_code = pair.inner_code == 0 && no_negative_zero ? 0 : sign | pair.inner_code;
    negative.outer_code = sign | pair.outer_code;
    return negative;
  }

  void Expect(const Pair& pair, double value, RoundingMode rounding, std::uint64_t random,
              bool outer) const {
    const std::uint64_t code = Encode(info_, value, rounding, OverflowMode::kNative, random);
    if (code == (outer ? pair.outer_code : pair.inner_code)) return;
    ADD_FAILURE() << std::hexfloat << value << " between " << pair.inner << " and " << pair.outer
                  << " became code " << code << " by rounding " << static_cast<int>(rounding)
                  << ", random " << std::hex << random;
  }

  void CheckValue(const Pair& pair, double middle, double value) const {
    const double size = std::fabs(value);
    const double half = std::fabs(middle);
    const bool exact = value == pair.outer;
    const bool above_or_at = size >= half;
    Expect(pair, value, RoundingMode::kNearestEven, 0,
           size > half || (size == half && !pair.inner_is_even));
    Expect(pair, value, RoundingMode::kNearestAway, 0, above_or_at);
    Expect(pair, value, RoundingMode::kTowardZero, 0, exact);
    // Which share of the random bits rounds away from zero, at the ends and around the half.
    const double share = (value - pair.inner) / (pair.outer - pair.inner);
    if (share == 0 || share > 0x1p-63) {
      Expect(pair, value, RoundingMode::kStochastic, 0, value != pair.inner);
    }
    Expect(pair, value, RoundingMode::kStochastic, kAllOnes, exact);
    Expect(pair, value, RoundingMode::kStochastic, kHalf - 1, above_or_at);
    Expect(pair, value, RoundingMode::kStochastic, kHalf, size > half);
  }

  void CheckPair(const Pair& pair) const {
    const double middle = pair.inner / 2 + pair.outer / 2;  // Exact.
    for (const double value :
         {pair.inner, std::nextafter(pair.inner, pair.outer), std::nextafter(middle, pair.inner),
          middle, std::nextafter(middle, pair.outer), std::nextafter(pair.outer, pair.inner),
          pair.outer}) {
      CheckValue(pair, middle, value);
    }
    const auto narrow = static_cast<float>(middle);
    if (static_cast<double>(narrow) != middle) return;
    for (const double end : {pair.inner, pair.outer}) {
      const float next = std::nextafter(narrow, static_cast<float>(end));
      CheckValue(pair, middle, static_cast<double>(next));
    }
  }

  const DTypeInfo info_ = GetParam();
};

TEST_P(RoundingTest, IsRightBetweenEveryTwoNeighbours) {
  for (const std::uint64_t code : Magnitudes()) {
    const Pair pair = PositivePair(code);
    CheckPair(pair);
    if (info_.is_signed) CheckPair(Negative(pair));
    if (HasFailure()) return;
  }
  if (info_.kind == DTypeKind::kInteger && info_.is_signed) {
    // Two's complement goes one further below zero.
    const std::uint64_t last = LargestFiniteCode(info_);
    const double largest = Decode(info_, last);
    CheckPair(Negative({largest, largest + 1, last, last + 1, last % 2 == 0}));
  }
}

// The mean over all random bits, to the bit: with the distance to the inner neighbour in
// sixteenths, only the four upper random bits count, and as many of their 16 values go outward.
TEST_P(RoundingTest, StochasticRoundingHasTheRightMean) {
  std::vector<std::uint64_t> magnitudes = Magnitudes();
  constexpr std::size_t kMostPairs = 4096;
  const std::size_t step = 1 + magnitudes.size() / kMostPairs;
  for (std::size_t i = 0; i < magnitudes.size(); i += step) {
    const Pair pair = PositivePair(magnitudes[i]);
    for (const Pair& signed_pair : {pair, info_.is_signed ? Negative(pair) : pair}) {
      for (int sixteenths = 0; sixteenths <= 16; ++sixteenths) {
        const double value =
            signed_pair.inner + (signed_pair.outer - signed_pair.inner) * sixteenths / 16;
        for (const std::uint64_t low_bits : {std::uint64_t{0}, kAllOnes >> 4}) {
          int outward = 0;
          for (std::uint64_t upper = 0; upper < 16; ++upper) {
            const std::uint64_t code = Encode(info_, value, RoundingMode::kStochastic,
                                              OverflowMode::kNative, upper << 60 | low_bits);
            if (code == signed_pair.outer_code) {
              ++outward;
            } else {
              ASSERT_EQ(code, signed_pair.inner_code) << value;
            }
          }
          ASSERT_EQ(outward, sixteenths) << std::hexfloat << value;
        }
      }
    }
  }
}

TEST_P(RoundingTest, StochasticRoundingNeverMovesAValueOfTheFormat) {
  const std::uint64_t last = LargestFiniteCode(info_);
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const std::uint64_t code = last < 4096 ? i % (last + 1) : i * (last / 4096);
    for (const std::uint64_t random : {std::uint64_t{0}, kHalf, kAllOnes, i * 0x9E3779B97F4A7C15}) {
      EXPECT_EQ(Encode(info_, Decode(info_, code), RoundingMode::kStochastic,
                       OverflowMode::kSaturate, random),
                code);
    }
  }
}

bool HasMiddles(const DTypeInfo& info) { return info.mantissa_bits < 52; }

INSTANTIATE_TEST_SUITE_P(All, RoundingTest, testing::ValuesIn(test::FormatsThat(HasMiddles)),
                         test::FormatTestName);

// Exhaustively: the sum over all values of the upper random bits is the significand itself.
TEST(ShiftRightRoundedTest, StochasticMeanIsExactForSmallShifts) {
  for (int shift = 1; shift <= 8; ++shift) {
    const std::uint64_t draws = std::uint64_t{1} << shift;
    for (std::uint64_t significand = 0; significand < 4 * draws; ++significand) {
      std::uint64_t sum = 0;
      for (std::uint64_t upper = 0; upper < draws; ++upper) {
        const std::uint64_t random = upper << (64 - shift);
        const std::uint64_t rounded =
            ShiftRightRounded(significand, shift, RoundingMode::kStochastic, random);
        EXPECT_EQ(rounded, ShiftRightRounded(significand, shift, RoundingMode::kStochastic,
                                             random | kAllOnes >> shift));
        sum += rounded;
      }
      EXPECT_EQ(sum, significand);
    }
  }
}

// From 64 bits on, the share of random bits is known by where it ends.
TEST(ShiftRightRoundedTest, StochasticShareOfFarSmallerValuesIsRoundedDownTo64Bits) {
  const auto rounded = [](std::uint64_t significand, int shift, std::uint64_t random) {
    return ShiftRightRounded(significand, shift, RoundingMode::kStochastic, random);
  };
  for (const std::uint64_t significand : {std::uint64_t{1}, std::uint64_t{0x1F'0000'0000'0001}}) {
    for (int shift = 64; shift <= 1200; ++shift) {
      const std::uint64_t share = shift - 64 < 64 ? significand >> (shift - 64) : 0;
      EXPECT_EQ(rounded(significand, shift, share), 0U) << shift;
      if (share > 0) {
        EXPECT_EQ(rounded(significand, shift, share - 1), 1U) << shift;
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge::internal
