#include "src/random/threefry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/golden_words.h"
#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

TEST(ThreefryTest, GivesRandom123KnownAnswers) {
  EXPECT_EQ(Threefry2x32({{0, 0}}, {0, 0}), (ThreefryBlock{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(Threefry2x32({{0xffffffff, 0xffffffff}}, {0xffffffff, 0xffffffff}),
            (ThreefryBlock{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(Threefry2x32({{0x13198a2e, 0x03707344}}, {0x243f6a88, 0x85a308d3}),
            (ThreefryBlock{0xc4923a9c, 0x483df7a0}));
}

TEST(ThreefryTest, GivesJaxBlocksForRandomKeysAndCounters) {
  for (const auto& row : test::ReadMember("golden/keys.json", "threefry2x32")) {
    EXPECT_EQ(Threefry2x32({test::ParseWordPair(row["key"])}, test::ParseWordPair(row["counter"])),
              test::ParseWordPair(row["out"]))
        << row;
  }
}

TEST(ThreefryTest, PartitionableBlocksCountBeyond32Bits) {
  const PrngKey key = {{1, 2}};
  EXPECT_EQ(PartitionableBlock(key, 7), Threefry2x32(key, {0, 7}));
  EXPECT_EQ(PartitionableBlock(key, (std::uint64_t{5} << 32) + 7), Threefry2x32(key, {5, 7}));
}

TEST(ThreefryTest, OriginalWordsPadAnOddCountWithACounterOfZero) {
  const PrngKey key = {{1, 2}};
  std::vector<std::uint32_t> words(3);
  FillOriginalWords(key, words);
  const ThreefryBlock first = Threefry2x32(key, {0, 2});
  const ThreefryBlock last = Threefry2x32(key, {1, 0});
  EXPECT_THAT(words, testing::ElementsAre(first[0], last[0], first[1]));
}

TEST(ThreefryTest, OriginalWordsOfNothingAreNothing) { FillOriginalWords({{1, 2}}, {}); }

}  // namespace
}  // namespace narrowgauge::internal
