#include "src/random/normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/random.h"
#include "tests/support/golden_words.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

// A column of golden/normal_map.npy and a profile that must reproduce it.
struct Column {
  std::string golden;
  std::string_view profile;
  friend void PrintTo(const Column& column, std::ostream* out) { *out << column.golden; }
};

class NormalMapTest : public testing::TestWithParam<Column> {
 protected:
  void SetUp() override {
    if (profile_.log1p != Log1pVariant::kLibm) return;
#if !defined(__GLIBC__)
    GTEST_SKIP() << "this variant is defined by glibc's logf";
#elif !__GLIBC_PREREQ(2, 28)
    GTEST_SKIP() << "this variant is defined by the logf of glibc 2.28 and later";
#endif
  }

  NumericsProfile profile_ = FindNumericsProfile(GetParam().profile).value();
};

TEST_P(NormalMapTest, SelectedValuesAreThoseOfJax) {
  const auto names = test::ReadMember("golden/normal.json", "columns_of_normal_map");
  const auto map = test::ReadNpy<std::uint32_t>("golden/normal_map.npy");
  const std::size_t columns = names.size();
  const auto column = static_cast<std::size_t>(
      std::find(names.begin(), names.end(), GetParam().golden) - names.begin());
  ASSERT_LT(column, columns);
  for (std::size_t i = 0; i < map.size(); i += columns) {
    EXPECT_EQ(test::BitsOf(internal::NormalFromBits(map[i] << 9, profile_)), map[i + column])
        << "bits>>9 = " << map[i];
  }
}

TEST_P(NormalMapTest, AllValuesAreThoseOfJax) {
  std::vector<float> values(std::size_t{1} << 23);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = internal::NormalFromBits(static_cast<std::uint32_t>(i) << 9, profile_);
  }
  const auto golden = test::ReadMember("golden/normal.json", "sha256_of_all_2^23_values_le_f32");
  EXPECT_EQ(test::Sha256Of(values), golden[GetParam().golden]);
}

INSTANTIATE_TEST_SUITE_P(Variants, NormalMapTest,
                         testing::Values(Column{"A", "jaxlib-0.10.2"}, Column{"B", "jaxlib-0.6.2"},
                                         Column{"C", "jaxlib-0.7.2"},
                                         Column{"A_nofma", "jaxlib-0.10.2-nofma"}),
                         [](const auto& param) {
                           return param.param.golden == "A_nofma" ? "ANoFma" : param.param.golden;
                         });

TEST(NormalTest, EndToEndItIsThatOfJax) {
  for (const auto& row : test::ReadMember("golden/normal.json", "end_to_end")) {
    std::vector<float> values(row["n"].get<std::size_t>());
    Normal(MakePrngKey(row["seed"].get<std::int64_t>()), test::ParseLayout(row["partitionable"]),
           DefaultNumericsProfile(), values);
    const auto first = test::ParseWords<std::uint32_t>(row["normal_first"]);
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(test::BitsOf(values[i]), first[i]) << "value " << i << " of seed " << row["seed"];
    }
    EXPECT_EQ(test::Sha256Of(values), row["normal_sha256"]);
  }
}

TEST(NormalTest, OperandsOfTheTutorialAreThoseOfJax) {
  const auto expect = [](ThreefryLayout layout, const std::string& suffix) {
    const auto keys = Split(MakePrngKey(0), 2, layout);
    std::vector<float> x(std::size_t{64} * 256), w(x.size());
    Normal(keys[0], layout, DefaultNumericsProfile(), x);
    Normal(keys[1], layout, DefaultNumericsProfile(), w);
    for (float& value : w) value *= 0.25f;
    EXPECT_EQ(x, test::ReadNpy<float>("golden/seed0_x" + suffix + ".npy"));
    EXPECT_EQ(w, test::ReadNpy<float>("golden/seed0_w" + suffix + ".npy"));
  };
  expect(ThreefryLayout::kPartitionable, "");
  expect(ThreefryLayout::kOriginal, "_nonpart");
}

// numerics_profile.h promises that any two variants agree within this many ulp.
TEST(NormalTest, VariantsAgreeWithin3Ulp) {
  constexpr std::int64_t kBoundUlp = 3;
  const auto ordered = [](float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return std::int64_t{bits < 0 ? std::int32_t{INT32_MIN} - bits : bits};
  };
  for (std::uint32_t i = 0; i < (1U << 23); i += 7) {
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
    for (const NumericsProfile& profile : AllNumericsProfiles()) {
      const std::int64_t value = ordered(internal::NormalFromBits(i << 9, profile));
      low = std::min(low, value);
      high = std::max(high, value);
    }
    ASSERT_LE(high - low, kBoundUlp) << "bits>>9 = " << i;
  }
}

}  // namespace
}  // namespace narrowgauge
