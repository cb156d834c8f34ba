#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "narrowgauge/random.h"
#include "tests/support/golden_words.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using testing::ElementsAreArray;

std::size_t ElementsOf(const nlohmann::json& shape) {
  std::size_t count = 1;
  for (const auto& dimension : shape) count *= dimension.get<std::size_t>();
  return count;
}

// Compares the first values of every golden row of one width with what `fill` gives.
template <typename T, typename Fill>
void ExpectFirstValues(int width, Fill fill) {
  int rows = 0;
  for (const auto& row : test::ReadJson("golden/bits.json")) {
    if (row["width"] != width) continue;
    ++rows;
    std::vector<T> bits(ElementsOf(row["shape"]));
    fill(test::ParseKey(row["key"]), test::ParseLayout(row["partitionable"]), std::span<T>(bits));
    const auto first = test::ParseWords<T>(row["first"]);
    bits.resize(first.size());
    EXPECT_THAT(bits, ElementsAreArray(first)) << row["key"] << row["partitionable"];
  }
  EXPECT_GT(rows, 0);
}

TEST(BitsTest, NarrowAndWideBitsAreThoseOfJax) {
  ExpectFirstValues<std::uint8_t>(8, RandomBits8);
  ExpectFirstValues<std::uint16_t>(16, RandomBits16);
  ExpectFirstValues<std::uint64_t>(64, RandomBits64);
}

TEST(BitsTest, WordsAreThoseOfJaxForEveryShape) {
  for (const auto& row : test::ReadJson("golden/bits.json")) {
    if (row["width"] != 32) continue;
    SCOPED_TRACE(row["key"].dump() + row["shape"].dump() + row["partitionable"].dump());
    std::vector<std::uint32_t> bits(ElementsOf(row["shape"]));
    RandomBits32(test::ParseKey(row["key"]), test::ParseLayout(row["partitionable"]), bits);

    const auto first = test::ParseWords<std::uint32_t>(row["first"]);
    const std::vector<std::uint32_t> head(bits.begin(),
                                          bits.begin() + static_cast<std::ptrdiff_t>(first.size()));
    EXPECT_THAT(head, ElementsAreArray(first));
    for (std::size_t i = 0; i < row["pos"].size(); ++i) {
      EXPECT_EQ(bits.at(row["pos"][i].get<std::size_t>()), test::ParseWord(row["at"][i]));
    }
    EXPECT_EQ(test::Sha256Of(bits), row["sha256_le"]);
  }
}

TEST(BitsTest, OnlyPartitionableBitsKeepTheirPrefix) {
  const PrngKey key = MakePrngKey(42);
  std::vector<std::uint32_t> few(10), many(1000);
  RandomBits32(key, ThreefryLayout::kPartitionable, few);
  RandomBits32(key, ThreefryLayout::kPartitionable, many);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  RandomBits32(key, ThreefryLayout::kOriginal, few);
  RandomBits32(key, ThreefryLayout::kOriginal, many);
  EXPECT_FALSE(std::equal(few.begin(), few.end(), many.begin()));
}

}  // namespace
}  // namespace narrowgauge
