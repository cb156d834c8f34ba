#include "src/random/uniform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/random.h"
#include "tests/support/golden_words.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

NumericsProfile Profile(std::string_view name) { return FindNumericsProfile(name).value(); }

std::vector<float> UniformOf(std::int64_t seed, std::string_view profile, float minval,
                             float maxval, std::size_t count) {
  std::vector<float> values(count);
  Uniform(MakePrngKey(seed), ThreefryLayout::kPartitionable, Profile(profile), minval, maxval,
          values);
  return values;
}

void ExpectGolden(float minval, float maxval, const std::string& column) {
  for (const auto& row : test::ReadMember("golden/normal.json", "end_to_end")) {
    std::vector<float> values(row["n"].get<std::size_t>());
    Uniform(MakePrngKey(row["seed"].get<std::int64_t>()), test::ParseLayout(row["partitionable"]),
            DefaultNumericsProfile(), minval, maxval, values);
    const auto first = test::ParseWords<std::uint32_t>(row[column + "_first"]);
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(test::BitsOf(values[i]), first[i]) << "value " << i << " of seed " << row["seed"];
    }
    EXPECT_EQ(test::Sha256Of(values), row[column + "_sha256"]);
  }
}

TEST(UniformTest, TheUnitIntervalIsThatOfJax) { ExpectGolden(0.0f, 1.0f, "uniform01"); }

TEST(UniformTest, AnInexactIntervalIsThatOfJax) { ExpectGolden(0.1f, 0.7f, "uniform_0.1_0.7"); }

TEST(UniformTest, TheUnitIntervalIsHalfOpen) {
  EXPECT_EQ(internal::UnitFromBits(0), 0.0f);
  EXPECT_EQ(internal::UnitFromBits(0x1FF), 0.0f);
  EXPECT_EQ(internal::UnitFromBits(0x200), 0x1p-23f);
  EXPECT_EQ(internal::UnitFromBits(0xFFFFFFFF), 1.0f - 0x1p-23f);
}

TEST(UniformTest, WithoutFusingItRoundsTwice) {
  const auto fused = UniformOf(0, "jaxlib-0.10.2", 0.1f, 0.7f, 1000);
  const auto separate = UniformOf(0, "jaxlib-0.10.2-nofma", 0.1f, 0.7f, 1000);
  EXPECT_NE(fused, separate);
  for (std::size_t i = 0; i < fused.size(); ++i) EXPECT_NEAR(fused[i], separate[i], 0x1p-24f);
}

// Made with jax 0.10.2: SHA-256 of uniform(PRNGKey(0), (100,), minval, maxval). Bounds are bits.
TEST(UniformTest, JaxFlushesSubnormalBoundsRangesAndResults) {
  struct Row {
    std::uint32_t minval, maxval;
    std::string_view sha256;
  };
  constexpr Row kRows[] = {
      {0, 0x007fffff, "7a12e561363385e9dfeeab326368731c030ed4b374e7f5897ac819159d2884c5"},
      {0x00800000, 0x00800001, "4c56a2e1423d89a8b6efab192963607439890a5f1af275b08a863730bb639a8e"},
      {0, 0x00800000, "7a12e561363385e9dfeeab326368731c030ed4b374e7f5897ac819159d2884c5"},
      {0x80800000, 0x00800000, "afc25ab591b27b100d55d9c3c1c17c331ed3506dce78d21748183aee3e33427d"},
      {0x80000001, 0x00800000, "7a12e561363385e9dfeeab326368731c030ed4b374e7f5897ac819159d2884c5"},
      {0, 0x01000000, "2f8a94f469bc8b77b980df3dd470c66b59d77924a8f4d64510188529f6a73cac"},
      {1, 0x01000000, "2f8a94f469bc8b77b980df3dd470c66b59d77924a8f4d64510188529f6a73cac"},
      {0x80400000, 0x00ffffff, "4504a13e216a885b6394e952fbd0f688b607c745b29c3d1feb534146149a5b03"},
  };
  for (const Row& row : kRows) {
    const auto values = UniformOf(0, "jaxlib-0.10.2", std::bit_cast<float>(row.minval),
                                  std::bit_cast<float>(row.maxval), 100);
    EXPECT_EQ(test::Sha256Of(values), row.sha256) << row.minval << " to " << row.maxval;
  }
}

TEST(UniformTest, TheIeeeProfileKeepsSubnormals) {
  const auto values = UniformOf(0, "ieee", 0, std::bit_cast<float>(0x007FFFFFU), 100);
  EXPECT_GT(std::count_if(values.begin(), values.end(), [](float v) { return v > 0; }), 90);
}

}  // namespace
}  // namespace narrowgauge
