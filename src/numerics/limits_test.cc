#include "src/numerics/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "src/numerics/codec.h"
#include "src/numerics/test_formats.h"

namespace narrowgauge::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Against all codes of a format of at most 16 bits, one by one.
class LimitsTest : public testing::TestWithParam<DTypeInfo> {
 protected:
  LimitsTest() {
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << info_.total_bits); ++code) {
      codes_.push_back({code, Decode(info_, code)});
    }
  }

  [[nodiscard]] bool Any(bool (*holds)(double)) const {
    return std::any_of(codes_.begin(), codes_.end(),
                       [holds](const CodedValue& coded) { return holds(coded.value); });
  }

  // Returns the smallest value that meets a condition.
  template <typename Holds>
  [[nodiscard]] double Smallest(Holds holds) const {
    double smallest = kInfinity;
    for (const CodedValue& coded : codes_) {
      if (holds(coded)) smallest = std::min(smallest, coded.value);
    }
    return smallest;
  }

  const DTypeInfo info_ = GetParam();
  std::vector<CodedValue> codes_;
};

TEST_P(LimitsTest, AreThoseOfTheCodes) {
  const DTypeLimits limits = LimitsOf(info_);
  EXPECT_EQ(limits.lowest, Smallest([](const CodedValue& c) { return std::isfinite(c.value); }));
  double largest = -kInfinity;
  for (const CodedValue& coded : codes_) {
    if (std::isfinite(coded.value)) largest = std::max(largest, coded.value);
  }
  EXPECT_EQ(limits.largest, largest);
  EXPECT_EQ(limits.smallest_subnormal, Smallest([](const CodedValue& c) { return c.value > 0; }));
  // By the exponent field, which ClassOf does not look at.
  EXPECT_EQ(limits.smallest_normal, Smallest([this](const CodedValue& c) {
              const bool subnormal = info_.has_zero && info_.kind == DTypeKind::kFloat &&
                                     (c.code >> info_.mantissa_bits &
                                      ((std::uint64_t{1} << info_.exponent_bits) - 1)) == 0;
              return c.value > 0 && !subnormal;
            }));
  const double two = Smallest([](const CodedValue& c) { return c.value > 1; });
  // int2 ends at 1.
  EXPECT_EQ(limits.epsilon, std::isfinite(two) ? two - 1 : 1);
  EXPECT_EQ(limits.has_subnormals, limits.smallest_subnormal != limits.smallest_normal);
  EXPECT_EQ(limits.has_infinity, Any([](double x) { return std::isinf(x); }));
  EXPECT_EQ(limits.has_nan, Any([](double x) { return std::isnan(x); }));
  EXPECT_EQ(limits.has_zero, Any([](double x) { return x == 0; }));
  EXPECT_EQ(limits.has_negative_zero, Any([](double x) { return x == 0 && std::signbit(x); }));
}

TEST_P(LimitsTest, EveryCodeHasItsClass) {
  const DTypeLimits limits = LimitsOf(info_);
  for (const CodedValue& coded : codes_) {
    ValueClass expected = ValueClass::kNormal;
    if (std::isnan(coded.value)) expected = ValueClass::kNan;
    if (std::isinf(coded.value)) expected = ValueClass::kInfinity;
    if (coded.value == 0) expected = ValueClass::kZero;
    if (coded.value != 0 && std::fabs(coded.value) < limits.smallest_normal) {
      expected = ValueClass::kSubnormal;
    }
    EXPECT_EQ(ClassOf(info_, coded.code), expected) << coded.code;
  }
}

TEST_P(LimitsTest, NeighboursAreNextInTheSortedValues) {
  std::vector<double> sorted;
  for (const CodedValue& coded : codes_) {
    if (!std::isnan(coded.value)) sorted.push_back(coded.value);
  }
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());  // -0 and 0 are one.
  const auto expect = [&](const std::optional<CodedValue>& actual, bool exists, double expected) {
    ASSERT_EQ(actual.has_value(), exists);
    if (!exists) return;
    EXPECT_EQ(actual->value, expected);
    const double decoded = Decode(info_, actual->code);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(decoded), std::bit_cast<std::uint64_t>(actual->value));
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Neighbours at = NeighboursOf(info_, sorted[i]);
    expect(at.below, i > 0, i > 0 ? sorted[i - 1] : 0);
    expect(at.above, i + 1 < sorted.size(), i + 1 < sorted.size() ? sorted[i + 1] : 0);
    const Neighbours beyond = NeighboursOf(info_, std::nextafter(sorted[i], kInfinity));
    if (!std::isinf(sorted[i])) expect(beyond.below, true, sorted[i]);
    const Neighbours before = NeighboursOf(info_, std::nextafter(sorted[i], -kInfinity));
    if (!std::isinf(sorted[i])) expect(before.above, true, sorted[i]);
  }
}

TEST_P(LimitsTest, TheZeroBesideAValueHasItsSign) {
  const DTypeLimits limits = LimitsOf(info_);
  if (!limits.has_zero) return;
  const Neighbours positive = NeighboursOf(info_, limits.smallest_subnormal);
  EXPECT_FALSE(std::signbit(positive.below->value));
  if (!info_.is_signed) return;
  const Neighbours negative = NeighboursOf(info_, -limits.smallest_subnormal);
  EXPECT_EQ(std::signbit(negative.above->value), limits.has_negative_zero);
}

TEST_P(LimitsTest, NanHasNoNeighbours) {
  EXPECT_FALSE(NeighboursOf(info_, kNan).below.has_value());
  EXPECT_FALSE(NeighboursOf(info_, kNan).above.has_value());
}

bool IsSmall(const DTypeInfo& info) { return info.total_bits <= 16; }

INSTANTIATE_TEST_SUITE_P(All, LimitsTest, testing::ValuesIn(test::FormatsThat(IsSmall)),
                         test::FormatTestName);

template <typename Float>
void ExpectThoseOf(DType dtype) {
  using Limits = std::numeric_limits<Float>;
  const DTypeLimits limits = GetDTypeLimits(dtype);
  EXPECT_EQ(limits.largest, static_cast<double>(Limits::max()));
  EXPECT_EQ(limits.lowest, static_cast<double>(Limits::lowest()));
  EXPECT_EQ(limits.smallest_normal, static_cast<double>(Limits::min()));
  EXPECT_EQ(limits.smallest_subnormal, static_cast<double>(Limits::denorm_min()));
  EXPECT_EQ(limits.epsilon, static_cast<double>(Limits::epsilon()));
  const Neighbours one = FindNeighbours(dtype, 1);
  EXPECT_EQ(one.above->value, 1 + limits.epsilon);
  EXPECT_EQ(one.below->value, 1 - limits.epsilon / 2);
  EXPECT_EQ(FindNeighbours(dtype, limits.largest).above->value, kInfinity);
  EXPECT_EQ(FindNeighbours(dtype, -kInfinity).above->value, limits.lowest);
  EXPECT_FALSE(FindNeighbours(dtype, kInfinity).above.has_value());
}

TEST(PublicLimitsTest, AreTheCompilersForItsOwnTypes) {
  ExpectThoseOf<double>(DType::kFloat64);
  ExpectThoseOf<float>(DType::kFloat32);
}

// As published in OFP8 (2023), OCP MX (2023) and the whitepaper of the A100 (2020).
TEST(PublicLimitsTest, AreThePublishedOnes) {
  const auto expect = [](DType dtype, double largest, double normal, double subnormal) {
    const DTypeLimits limits = GetDTypeLimits(dtype);
    SCOPED_TRACE(DTypeName(dtype));
    EXPECT_EQ(limits.largest, largest);
    EXPECT_EQ(limits.smallest_normal, normal);
    EXPECT_EQ(limits.smallest_subnormal, subnormal);
  };
  expect(DType::kFloat8E4M3Fn, 448, 0x1p-6, 0x1p-9);
  expect(DType::kFloat8E5M2, 57344, 0x1p-14, 0x1p-16);
  expect(DType::kFloat6E2M3Fn, 7.5, 1, 0.125);
  expect(DType::kFloat6E3M2Fn, 28, 0.25, 0.0625);
  expect(DType::kFloat4E2M1Fn, 6, 1, 0.5);
  expect(DType::kFloat8E8M0Fnu, 0x1p127, 0x1p-127, 0x1p-127);
  expect(DType::kFloat16, 65504, 0x1p-14, 0x1p-24);
  expect(DType::kTf32, 0x1.ffcp127, 0x1p-126, 0x1p-136);
  expect(DType::kInt4, 7, 1, 1);
  EXPECT_EQ(GetDTypeLimits(DType::kInt4).lowest, -8);
}

TEST(PublicCodecTest, OverflowOfFp8IsAsItsSpecificationSays) {
  using enum OverflowMode;
  const auto encode = [](DType dtype, double value, OverflowMode overflow) {
    return DecodeValue(dtype, EncodeValue(dtype, value, RoundingMode::kNearestEven, overflow));
  };
  for (const double value : {448.0, 464.0, 464.001, 480.0, kInfinity}) {
    EXPECT_EQ(encode(DType::kFloat8E4M3Fn, value, kSaturate), 448);
    if (value <= 464) {
      EXPECT_EQ(encode(DType::kFloat8E4M3Fn, value, kNative), 448);
    } else {
      EXPECT_TRUE(std::isnan(encode(DType::kFloat8E4M3Fn, value, kNative)));
    }
  }
  EXPECT_EQ(encode(DType::kFloat8E5M2, 61439, kNative), 57344);
  EXPECT_EQ(encode(DType::kFloat8E5M2, 61440, kNative), kInfinity);
}

TEST(PublicCodecTest, ModesAreFoundByTheirNames) {
  for (const RoundingMode mode : AllRoundingModes()) {
    EXPECT_EQ(ParseRoundingMode(RoundingModeName(mode)).value(), mode);
  }
  for (const OverflowMode mode : AllOverflowModes()) {
    EXPECT_EQ(ParseOverflowMode(OverflowModeName(mode)).value(), mode);
  }
  EXPECT_THAT(ParseRoundingMode("evn").error().message,
              testing::HasSubstr("one of even, away, zero, stochastic (nearest: even): \"evn\""));
  EXPECT_THAT(ParseOverflowMode("").error().message, testing::HasSubstr("native, saturate: \"\""));
}

}  // namespace
}  // namespace narrowgauge::internal
