#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "narrowgauge/xplane.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(ReadXSpaceTest, ReadsWhatWasWritten) {
  const test::TemporaryDirectory directory;
  XSpace space;
  space.planes.push_back({1, "/host:CPU", {{1, "main", 0, {{"op", 1, 2, {}}}}}, {}});
  const auto read = ReadXSpace(directory.Write("a.xplane.pb", *EncodeXSpace(space)));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, space);
}

TEST(ReadXSpaceTest, NamesTheKnownCauseOfAnEmptyFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a.xplane.pb", "");
  const auto read = ReadXSpace(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("2 GiB"), HasSubstr(path)));
}

TEST(ReadXSpaceTest, NamesTheFileTheByteAndTheFieldOfDamage) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a.xplane.pb", std::string("\x0a\x02\x18", 3));
  const auto read = ReadXSpace(path);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(read.error().message, AllOf(HasSubstr("byte 0"), HasSubstr(path)));
}

TEST(ReadXSpaceTest, RefusesWhatIsNoTraceFile) {
  const test::TemporaryDirectory directory;
  const auto error = [](const std::string& path) { return ReadXSpace(path).error(); };

  EXPECT_EQ(error((directory.Path() / "none").string()).code, StatusCode::kNotFound);
  EXPECT_EQ(error(directory.Path().string()).code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(error(directory.Write("gz", "\x1f\x8b\x08")).message, HasSubstr("gzip"));

  const std::string pipe = (directory.Path() / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error(pipe).code, StatusCode::kFailedPrecondition);

  const std::string huge = directory.Write("huge", "");
  std::filesystem::resize_file(huge, std::uintmax_t{1} << 31);
  EXPECT_EQ(error(huge).code, StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace narrowgauge
