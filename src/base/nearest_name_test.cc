#include "src/base/nearest_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgauge::internal {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kNames[] = {"float32", "bfloat16", "float16", "int8"};

TEST(NearestNameTest, OrdersByEditDistance) {
  EXPECT_THAT(NearestNames("bfloat61", kNames, 2), ElementsAre("bfloat16", "float16"));
}

TEST(NearestNameTest, TwoSwappedLettersAreOneStep) {
  constexpr std::string_view kNearSwap[] = {"float64", "bfloat16"};
  EXPECT_THAT(NearestNames("bfloat61", kNearSwap, 2), ElementsAre("bfloat16", "float64"));
}

TEST(NearestNameTest, OffersNamesThatContainTheWord) {
  EXPECT_THAT(NearestNames("int", kNames, 2), ElementsAre("int8"));
}

TEST(NearestNameTest, OffersNothingForFarOrHugeNames) {
  EXPECT_THAT(NearestNames("zzzzzzzzzz", kNames, 2), IsEmpty());
  EXPECT_THAT(NearestNames(std::string(1 << 20, 'f'), kNames, 2), IsEmpty());
  EXPECT_THAT(NearestNames("", kNames, 2), IsEmpty());
  EXPECT_THAT(NearestNames("t", kNames, 2), IsEmpty());
}

TEST(NearestNameTest, MessageNamesAcceptedWordsAndTheNearest) {
  EXPECT_EQ(UnknownName("dtype", "bfloat61", kNames),
            "unknown dtype; expected one of float32, bfloat16, float16, int8 (nearest: bfloat16): "
            "\"bfloat61\"");
  EXPECT_EQ(UnknownName("dtype", "", kNames),
            "unknown dtype; expected one of float32, bfloat16, float16, int8: \"\"");
}

}  // namespace
}  // namespace narrowgauge::internal
