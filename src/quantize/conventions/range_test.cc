#include "src/quantize/conventions/range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

// Recorded from numpy 2.4.6: std of float32(i) * float32(0.1), and of float16(i % 64) *
// float16(1/8).
struct Recorded {
  int count;
  float of_float32;
  float of_float16;
};

TEST(RangeTest, DeviationsAreThoseOfNumpy) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const Recorded& recorded :
       {Recorded{5, 0x1.21a186p-3F, 0x1.6ap-3F}, Recorded{100, 0x1.717c58p+1F, 0x1.164p+1F},
        Recorded{1000, 0x1.cde148p+4F, 0x1.264p+1F}, Recorded{12345, 0x1.645e94p+8F, inf}}) {
    std::vector<float> tenths;
    std::vector<float> eighths;
    for (int i = 0; i < recorded.count; ++i) {
      tenths.push_back(static_cast<float>(i) * 0.1F);
      eighths.push_back(static_cast<float>(i % 64) / 8);
    }
    EXPECT_EQ(StandardDeviation(tenths, DType::kFloat32), recorded.of_float32) << recorded.count;
    EXPECT_EQ(StandardDeviation(eighths, DType::kFloat16), recorded.of_float16) << recorded.count;
  }
}

TEST(RangeTest, MergedRangesAreThoseOfTheWhole) {
  const std::vector<float> elements = {0.0F, -0.0F, 3.0F, -5.0F, 5.0F, 1e-40F};
  for (std::size_t split = 1; split < elements.size(); ++split) {
    const std::span<const float> all(elements);
    const ElementRange whole = RangeOf(all, Subnormals::kKept);
    const ElementRange merged = Merged(RangeOf(all.first(split), Subnormals::kKept),
                                       RangeOf(all.subspan(split), Subnormals::kKept));
    EXPECT_EQ(test::BitsOf(merged.lowest), test::BitsOf(whole.lowest));
    EXPECT_EQ(test::BitsOf(merged.largest), test::BitsOf(whole.largest));
    EXPECT_EQ(test::BitsOf(merged.first_extreme), test::BitsOf(whole.first_extreme));
  }
}

TEST(RangeTest, NanTakesEverything) {
  const std::vector<float> elements = {1.0F, std::nanf(""), -2.0F};
  const ElementRange range = RangeOf(elements, Subnormals::kKept);
  EXPECT_TRUE(std::isnan(range.lowest));
  EXPECT_TRUE(std::isnan(range.largest));
  EXPECT_TRUE(std::isnan(range.Absmax()));
  const std::vector<float> finite = {1.0F};
  EXPECT_TRUE(std::isnan(Merged(RangeOf(finite, Subnormals::kKept), range).Absmax()));
}

TEST(RangeTest, SubnormalsAreFlushedWithTheirSign) {
  const std::vector<float> elements = {-1e-40F};
  EXPECT_EQ(test::BitsOf(RangeOf(elements, Subnormals::kFlushed).lowest), test::BitsOf(-0.0F));
  EXPECT_EQ(RangeOf(elements, Subnormals::kKept).lowest, -1e-40F);
}

}  // namespace
}  // namespace narrowgauge::internal
