// One file (float5_made_up.h) and one row are all that this program has beyond the table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/narrowgauge/verb.h"
#include "narrowgauge/block_format.h"
#include "narrowgauge/codec.h"

namespace narrowgauge {
namespace {

using testing::HasSubstr;

constexpr std::string_view kName = "float5_made_up";

// Returns what `narrowgauge formats` prints for these arguments.
nlohmann::json Formats(std::vector<std::string> arguments) {
  const std::string path = std::filesystem::path(testing::TempDir()) /
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  CLI::App command("formats");
  const auto run = app::DeclareFormats(command);
  arguments.insert(arguments.end(), {"--format", "json", "--out", path});
  std::reverse(arguments.begin(), arguments.end());  // As CLI11 wants it.
  command.parse(arguments);
  const auto outcome = run();
  EXPECT_TRUE(outcome.has_value()) << outcome.error().message;
  return nlohmann::json::parse(std::ifstream(path));
}

TEST(MadeUpFormatTest, IsFoundByItsWords) {
  for (const std::string_view word :
       {kName, std::string_view("made_up"), std::string_view("MADE_UP")}) {
    EXPECT_EQ(ParseDType(word).value(), DType::kFloat5MadeUp);
    EXPECT_EQ(ParseNumberFormat(word).value(), NumberFormat(DType::kFloat5MadeUp));
  }
  EXPECT_THAT(ParseDType("x").error().message, HasSubstr(kName));
  EXPECT_THAT(ParseDType("maed_up").error().message, HasSubstr("(nearest: made_up)"));
}

TEST(MadeUpFormatTest, HasLimitsAndACodec) {
  const DTypeLimits limits = GetDTypeLimits(DType::kFloat5MadeUp);
  EXPECT_EQ(limits.largest, 6);
  EXPECT_EQ(limits.smallest_normal, 1);
  EXPECT_EQ(limits.smallest_subnormal, 0.25);
  EXPECT_EQ(DecodeValue(DType::kFloat5MadeUp, EncodeValue(DType::kFloat5MadeUp, -2.6)), -2.5);
}

TEST(MadeUpFormatTest, IsShownByTheCommandLine) {
  const auto list = Formats({})["dtypes"];
  EXPECT_TRUE(
      std::any_of(list.begin(), list.end(), [](const auto& row) { return row["name"] == kName; }));
  EXPECT_EQ(Formats({"made_up"})["max"], 6);
  EXPECT_EQ(Formats({"made_up", "--encode", "5.1"})["encoded"][0]["code"], "0x0D");
  EXPECT_EQ(Formats({"made_up", "--decode", "0x1E"})["codes"][0]["value"], -6);
  EXPECT_EQ(Formats({"made_up", "--codes"})["codes"].size(), 32U);
}

// Returns how many tests each suite has for a format.
std::map<std::string, int> TestsOf(std::string_view format) {
  std::map<std::string, int> tests;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      if (std::string_view(suite.GetTestInfo(j)->name()).ends_with("/" + std::string(format))) {
        ++tests[suite.name()];
      }
    }
  }
  return tests;
}

TEST(MadeUpFormatTest, HasTheTestsOfAnyOtherFormat) {
  const auto tests = TestsOf(kName);
  EXPECT_EQ(tests, TestsOf("float4_e2m1fn"));
  EXPECT_THAT(tests, testing::ElementsAre(testing::Pair("All/CodecPropertyTest", 5),
                                          testing::Pair("All/LimitsTest", 5),
                                          testing::Pair("All/RoundingTest", 3),
                                          testing::Pair("All/SignedFloatPropertyTest", 1),
                                          testing::Pair("EveryFormat/WidenTest", 1)));
}

}  // namespace
}  // namespace narrowgauge
