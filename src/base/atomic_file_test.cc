#include "src/base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>

#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(AtomicFileTest, WritesNewFilesAndReplacesOldOnes) {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.Path() / "a").string();
  for (const std::string& bytes :
       {std::string("first\0x", 7), std::string(), std::string(100000, 'z')}) {
    ASSERT_TRUE(WriteFileAtomically(path, bytes));
    EXPECT_EQ(test::ReadBytes(path), bytes);
    EXPECT_THAT(test::NamesIn(directory.Path()), testing::ElementsAre("a"));
  }
}

TEST(AtomicFileTest, ReplacesTheFileBehindALinkAndKeepsTheLink) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.Write("file", "old");
  const std::string link = (directory.Path() / "link").string();
  std::filesystem::create_symlink(file, link);
  ASSERT_TRUE(WriteFileAtomically(link, "new"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(test::ReadBytes(file), "new");
}

TEST(AtomicFileTest, RefusesToReplaceWhatIsNoRegularFile) {
  const test::TemporaryDirectory directory;
  const std::string fifo = (directory.Path() / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  // A device, as a link in the directory: were it replaced, only the link would be lost.
  const std::string device = (directory.Path() / "device").string();
  std::filesystem::create_symlink("/dev/null", device);
  for (const std::string& path : {fifo, device, directory.Path().string()}) {
    const auto written = WriteFileAtomically(path, "x");
    ASSERT_FALSE(written) << path;
    EXPECT_EQ(written.error().code, StatusCode::kFailedPrecondition);
    EXPECT_THAT(written.error().message, AllOf(HasSubstr("no regular file"), HasSubstr(path)));
  }
  EXPECT_THAT(test::NamesIn(directory.Path()), testing::ElementsAre("device", "fifo"));
  EXPECT_TRUE(std::filesystem::is_character_file(device));
}

TEST(AtomicFileTest, LeavesNothingWithoutCommit) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a", "old");
  {
    auto file = AtomicFile::Create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->Write("new"));
    EXPECT_EQ(test::NamesIn(directory.Path()).size(), 2U);
  }
  EXPECT_EQ(test::ReadBytes(path), "old");
  EXPECT_THAT(test::NamesIn(directory.Path()), testing::ElementsAre("a"));
}

TEST(AtomicFileTest, GivesBackWhatWasReservedTooMuch) {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.Path() / "a").string();
  auto file = AtomicFile::Create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Reserve(1 << 20));
  ASSERT_TRUE(file->Write("abc"));
  ASSERT_TRUE(file->Commit());
  EXPECT_EQ(test::ReadBytes(path), "abc");
}

TEST(AtomicFileTest, SaysWhatIsWrongWithThePath) {
  const test::TemporaryDirectory directory;
  const auto missing = WriteFileAtomically((directory.Path() / "no" / "a").string(), "x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, StatusCode::kNotFound);
  EXPECT_THAT(missing.error().message,
              AllOf(HasSubstr("No such file"), HasSubstr("check the path"), HasSubstr("no/a")));

  const auto below_file = WriteFileAtomically(directory.Write("f", "") + "/a", "x");
  ASSERT_FALSE(below_file);
  EXPECT_EQ(below_file.error().code, StatusCode::kFailedPrecondition);

  std::filesystem::create_directory(directory.Path() / "d");
  const auto directory_itself = WriteFileAtomically((directory.Path() / "d").string(), "x");
  ASSERT_FALSE(directory_itself);
  EXPECT_EQ(directory_itself.error().code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(test::NamesIn(directory.Path()), testing::ElementsAre("d", "f"));
}

TEST(AtomicFileTest, RemovesTheTemporaryFileWhenSpaceRunsOut) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a", "old");
  const int result = test::InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {4096, 4096};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const auto written = WriteFileAtomically(path, std::string(10000, 'x'));
    if (written || written.error().code != StatusCode::kResourceExhausted) return 3;
    auto file = AtomicFile::Create(path);
    if (!file) return 4;
    const auto reserved = file->Reserve(10000);
    return !reserved && reserved.error().code == StatusCode::kResourceExhausted ? 0 : 5;
  });
  EXPECT_EQ(result, 0);
  EXPECT_EQ(test::ReadBytes(path), "old");
}

TEST(AtomicFileTest, SaysWhenWritingIsRefused) {
  const test::TemporaryDirectory directory;
  std::filesystem::permissions(directory.Path(), std::filesystem::perms(0555));
  const int result = test::InChild([&] {
    // The superuser may write anywhere, so the child becomes nobody.
    if (getuid() == 0 && setuid(65534) != 0) return 2;
    const auto written = WriteFileAtomically((directory.Path() / "a").string(), "x");
    return !written && written.error().code == StatusCode::kPermissionDenied ? 0 : 3;
  });
  std::filesystem::permissions(directory.Path(), std::filesystem::perms(0755));
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace narrowgauge::internal
