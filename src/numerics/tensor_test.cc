#include "narrowgauge/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace narrowgauge {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(TensorTest, ElementsAreTheProductOfTheDimensions) {
  EXPECT_EQ(NumElements({}).value(), 1);
  EXPECT_EQ(NumElements({7}).value(), 7);
  EXPECT_EQ(NumElements({64, 256}).value(), 16384);
  EXPECT_EQ(NumElements({kMax, 1}).value(), kMax);
}

TEST(TensorTest, ADimensionOfZeroMakesAnyProductZero) {
  EXPECT_EQ(NumElements({0}).value(), 0);
  EXPECT_EQ(NumElements({kMax, kMax, 0}).value(), 0);
}

TEST(TensorTest, TooManyElementsAreRefused) {
  const auto count = NumElements({kMax, 2});
  ASSERT_FALSE(count.has_value());
  EXPECT_EQ(count.error().code, StatusCode::kOutOfRange);
  EXPECT_THAT(count.error().message, HasSubstr("less than 2^63: [9223372036854775807, 2]"));
}

TEST(TensorTest, NegativeDimensionsAreRefusedEvenBesideZero) {
  for (const Shape& shape : {Shape{-1}, Shape{0, -1}, Shape{-2, -3}}) {
    const auto count = NumElements(shape);
    ASSERT_FALSE(count.has_value());
    EXPECT_EQ(count.error().code, StatusCode::kOutOfRange);
    EXPECT_THAT(count.error().message, HasSubstr(FormatShape(shape)));
  }
}

TEST(TensorTest, ShapesPrintLikeLists) {
  EXPECT_EQ(FormatShape({}), "[]");
  EXPECT_EQ(FormatShape({5}), "[5]");
  EXPECT_EQ(FormatShape({64, 256}), "[64, 256]");
}

}  // namespace
}  // namespace narrowgauge
