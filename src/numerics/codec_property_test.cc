#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "src/numerics/codec.h"
#include "src/numerics/test_formats.h"

// What must hold for any format, checked exhaustively for those of at most 16 bits.

namespace narrowgauge::internal {
namespace {

using enum OverflowMode;
using enum RoundingMode;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr RoundingMode kRoundingModes[] = {kNearestEven, kNearestAway, kTowardZero};

// Expects equal values, zeros of equal sign, or NaN of any sign.
void ExpectSameValue(double actual, double expected, double input) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << actual << " from " << input;
    return;
  }
  EXPECT_EQ(actual, expected) << "from " << input;
  EXPECT_EQ(std::signbit(actual), std::signbit(expected)) << "from " << input;
}

class CodecPropertyTest : public testing::TestWithParam<DTypeInfo> {
 protected:
  struct Finite {
    double value;
    std::uint64_t code;
  };

  // All finite numbers but -0, in ascending order of value.
  [[nodiscard]] std::vector<Finite> FiniteNumbers() const {
    std::vector<Finite> numbers;
    for (std::uint64_t code = 0; code < codes_; ++code) {
      const double value = Decode(info_, code);
      const bool negative_zero = value == 0 && std::signbit(value);
      if (std::isfinite(value) && !negative_zero) numbers.push_back({value, code});
    }
    std::sort(numbers.begin(), numbers.end(),
              [](const Finite& a, const Finite& b) { return a.value < b.value; });
    return numbers;
  }

  [[nodiscard]] double RoundTrip(double value, RoundingMode rounding = kNearestEven,
                                 OverflowMode overflow = kNative) const {
    return Decode(info_, Encode(info_, value, rounding, overflow));
  }

  const DTypeInfo info_ = GetParam();
  const std::uint64_t codes_ = std::uint64_t{1} << info_.total_bits;
  const bool is_float_ = info_.kind == DTypeKind::kFloat;
  const std::uint64_t sign_bit_ = info_.is_signed ? codes_ / 2 : 0;
  const bool has_negative_zero_ = is_float_ && info_.is_signed && info_.has_zero &&
                                  info_.special_values != SpecialValues::kNanNegativeZero;
};

TEST_P(CodecPropertyTest, EveryCodeDecodesAndEncodesToItself) {
  for (std::uint64_t code = 0; code < codes_; ++code) {
    const double value = Decode(info_, code);
    const std::uint64_t expected =
        std::isnan(value) ? info_.canonical_nan | (code & sign_bit_) : code;
    for (const RoundingMode rounding : kRoundingModes) {
      EXPECT_EQ(Encode(info_, value, rounding), expected) << value;
    }
  }
}

TEST_P(CodecPropertyTest, ValuesAreDistinctAndGrowWithTheirCodes) {
  const auto numbers = FiniteNumbers();
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    EXPECT_LT(numbers[i - 1].value, numbers[i].value);
  }
  EXPECT_EQ(numbers.back().code, LargestFiniteCode(info_));
  for (std::uint64_t code = 1; code <= LargestFiniteCode(info_); ++code) {
    EXPECT_LT(Decode(info_, code - 1), Decode(info_, code)) << code;
  }
}

TEST_P(CodecPropertyTest, OverflowBeginsHalfAStepBeyondTheLargest) {
  const std::uint64_t largest_code = LargestFiniteCode(info_);
  const double largest = Decode(info_, largest_code);
  const bool only_exponents = is_float_ && info_.mantissa_bits == 0;
  const double step = only_exponents ? largest : largest - Decode(info_, largest_code - 1);
  const double edge = largest + step / 2;
  double native = largest;
  if (info_.special_values == SpecialValues::kIeee) native = kInfinity;
  if (info_.special_values == SpecialValues::kNanAllOnes ||
      info_.special_values == SpecialValues::kNanNegativeZero) {
    native = kNan;
  }
  const bool tie_stays = largest_code % 2 == 0 && !only_exponents;
  EXPECT_EQ(RoundTrip(std::nextafter(edge, 0.0)), largest);
  ExpectSameValue(RoundTrip(edge), tie_stays ? largest : native, edge);
  ExpectSameValue(RoundTrip(edge, kNearestAway), native, edge);
  for (const double value : {std::nextafter(edge, kInfinity), 1e300, kInfinity}) {
    ExpectSameValue(RoundTrip(value), native, value);
    ExpectSameValue(RoundTrip(value, kNearestAway), native, value);
    for (const RoundingMode rounding : kRoundingModes) {
      EXPECT_EQ(RoundTrip(value, rounding, kSaturate), largest) << value;
    }
  }
  EXPECT_EQ(RoundTrip(1e300, kTowardZero), largest);
  ExpectSameValue(RoundTrip(kInfinity, kTowardZero), native, kInfinity);
  const auto stochastic = [this](double value, std::uint64_t random) {
    return Decode(info_, Encode(info_, value, kStochastic, kNative, random));
  };
  ExpectSameValue(stochastic(edge, 0), native, edge);
  ExpectSameValue(stochastic(edge, ~std::uint64_t{0}), largest, edge);
  EXPECT_EQ(RoundTrip(edge, kStochastic, kSaturate), largest);
}

TEST_P(CodecPropertyTest, NanBecomesTheCanonicalCodeWithItsSign) {
  const std::uint64_t negative = info_.canonical_nan | (is_float_ ? sign_bit_ : 0);
  for (const OverflowMode overflow : {kNative, kSaturate}) {
    EXPECT_EQ(Encode(info_, kNan, kNearestEven, overflow), info_.canonical_nan);
    EXPECT_EQ(Encode(info_, -kNan, kNearestEven, overflow), negative);
  }
  EXPECT_EQ(EncodeFloat32(info_, std::bit_cast<float>(0x7FFFFFFFU)), info_.canonical_nan);
  EXPECT_EQ(EncodeFloat32(info_, std::bit_cast<float>(0xFF800001U)), negative);
}

TEST_P(CodecPropertyTest, Float64SubnormalsBecomeTheSmallestMagnitude) {
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  for (const RoundingMode rounding : kRoundingModes) {
    EXPECT_EQ(RoundTrip(kSmallest, rounding), info_.has_zero ? 0.0 : Decode(info_, 0));
    if (info_.is_signed) {
      EXPECT_EQ(RoundTrip(-kSmallest, rounding), 0.0);
    }
  }
}

class SignedFloatPropertyTest : public CodecPropertyTest {};

TEST_P(SignedFloatPropertyTest, NegativeValuesMirrorPositiveOnes) {
  for (const auto& [value, code] : FiniteNumbers()) {
    for (const double factor : {1.0, 1.03, 1.0625, 1e10}) {
      for (const RoundingMode rounding : kRoundingModes) {
        const double positive = RoundTrip(value * factor, rounding);
        const double negative = RoundTrip(-value * factor, rounding);
        ExpectSameValue(negative, positive == 0 && !has_negative_zero_ ? 0.0 : -positive, value);
      }
    }
  }
}

class IntegerPropertyTest : public CodecPropertyTest {};

TEST_P(IntegerPropertyTest, SaturatesBelow) {
  const double lowest = FiniteNumbers().front().value;
  for (const OverflowMode overflow : {kNative, kSaturate}) {
    for (const double value : {lowest - 0.5, lowest - 1, -1e300, -kInfinity}) {
      for (const RoundingMode rounding : kRoundingModes) {
        EXPECT_EQ(RoundTrip(value, rounding, overflow), lowest) << value;
      }
    }
  }
}

std::vector<DTypeInfo> SmallFormats(bool (*belongs)(const DTypeInfo&)) {
  return test::FormatsThat(
      [belongs](const DTypeInfo& info) { return info.total_bits <= 16 && belongs(info); });
}

bool IsSignedFloat(const DTypeInfo& info) {
  return info.kind == DTypeKind::kFloat && info.is_signed;
}

bool IsInteger(const DTypeInfo& info) { return info.kind == DTypeKind::kInteger; }

bool IsAny(const DTypeInfo&) { return true; }

INSTANTIATE_TEST_SUITE_P(All, CodecPropertyTest, testing::ValuesIn(SmallFormats(IsAny)),
                         test::FormatTestName);
INSTANTIATE_TEST_SUITE_P(All, SignedFloatPropertyTest,
                         testing::ValuesIn(SmallFormats(IsSignedFloat)), test::FormatTestName);
INSTANTIATE_TEST_SUITE_P(All, IntegerPropertyTest, testing::ValuesIn(SmallFormats(IsInteger)),
                         test::FormatTestName);

}  // namespace
}  // namespace narrowgauge::internal
