#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include "narrowgauge/random.h"
#include "tests/support/golden_words.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

TEST(KeysTest, SeedsGiveJaxKeysInBothWidths) {
  for (const auto& row : test::ReadMember("golden/keys.json", "keys")) {
    const std::int64_t seed = std::stoll(row["seed"].get<std::string>());
    const SeedWidth width = row["x64"].get<bool>() ? SeedWidth::k64 : SeedWidth::k32;
    EXPECT_EQ(MakePrngKey(seed, width), test::ParseKey(row["key"])) << row;
  }
}

TEST(KeysTest, SeedsAtTheEdgesOfInt64KeepTheirBits) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(MakePrngKey(kMin), (PrngKey{{0, 0}}));
  EXPECT_EQ(MakePrngKey(kMax), (PrngKey{{0, 0xffffffff}}));
  EXPECT_EQ(MakePrngKey(-1), (PrngKey{{0, 0xffffffff}}));
  EXPECT_EQ(MakePrngKey(kMin, SeedWidth::k64), (PrngKey{{0x80000000, 0}}));
  EXPECT_EQ(MakePrngKey(kMax, SeedWidth::k64), (PrngKey{{0x7fffffff, 0xffffffff}}));
  EXPECT_EQ(MakePrngKey(-1, SeedWidth::k64), (PrngKey{{0xffffffff, 0xffffffff}}));
}

TEST(KeysTest, SeedsThatJaxRefusesDoNotFitInt64) {
  for (const auto& seed : test::ReadMember("golden/keys.json", "overflow_error")) {
    EXPECT_THROW(std::ignore = std::stoll(seed.get<std::string>()), std::out_of_range) << seed;
  }
}

TEST(KeysTest, SplitGivesJaxKeysInBothLayouts) {
  for (const auto& row : test::ReadMember("golden/keys.json", "split")) {
    const auto keys = Split(test::ParseKey(row["key"]), row["num"].get<std::int64_t>(),
                            test::ParseLayout(row["partitionable"]));
    ASSERT_EQ(keys.size(), row["keys"].size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(keys[i], test::ParseKey(row["keys"][i])) << "key " << i << " of " << row["key"];
    }
  }
}

TEST(KeysTest, SplitIntoNoneIsEmpty) {
  EXPECT_THAT(Split({{1, 2}}, 0), testing::IsEmpty());
  EXPECT_THAT(Split({{1, 2}}, 0, ThreefryLayout::kOriginal), testing::IsEmpty());
}

TEST(KeysTest, FoldInGivesJaxKeys) {
  for (const auto& row : test::ReadMember("golden/keys.json", "fold_in")) {
    EXPECT_EQ(FoldIn(test::ParseKey(row["key"]), row["data"].get<std::uint32_t>()),
              test::ParseKey(row["out"]))
        << row;
  }
}

}  // namespace
}  // namespace narrowgauge
