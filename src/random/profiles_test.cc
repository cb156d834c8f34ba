#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "narrowgauge/numerics_profile.h"

namespace narrowgauge {
namespace {

using testing::HasSubstr;

TEST(ProfilesTest, TheDefaultIsTheFirst) {
  EXPECT_EQ(DefaultNumericsProfile().name, "jaxlib-0.10.2");
  EXPECT_EQ(AllNumericsProfiles().front().name, "jaxlib-0.10.2");
}

TEST(ProfilesTest, EveryProfileIsFoundByItsOwnName) {
  std::set<std::string_view> names;
  for (const NumericsProfile& profile : AllNumericsProfiles()) {
    EXPECT_TRUE(names.insert(profile.name).second) << profile.name;
    EXPECT_EQ(FindNumericsProfile(profile.name).value().name, profile.name);
    EXPECT_FALSE(profile.description.empty()) << profile.name;
  }
}

TEST(ProfilesTest, AnUnknownNameIsRefusedWithTheListAndTheNearest) {
  const auto found = FindNumericsProfile("jaxlib-0.10.3");
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(found.error().message, HasSubstr("expected one of jaxlib-0.10.2, "));
  EXPECT_THAT(found.error().message, HasSubstr("(nearest: jaxlib-0.10.2)"));
}

TEST(ProfilesTest, JaxFlushesSubnormalsAndIeeeKeepsThem) {
  for (const NumericsProfile& profile : AllNumericsProfiles()) {
    const bool is_jax = profile.name.starts_with("jaxlib-");
    EXPECT_EQ(profile.subnormals, is_jax ? Subnormals::kFlushed : Subnormals::kKept)
        << profile.name;
  }
}

}  // namespace
}  // namespace narrowgauge
