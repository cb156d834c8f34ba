#include "src/base/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

using testing::HasSubstr;

std::string_view Text(const MappedFile& file) {
  const auto bytes = file.Bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ExpectError(const std::string& path, StatusCode code, std::string_view part) {
  const auto file = MappedFile::Open(path);
  ASSERT_FALSE(file.has_value()) << path;
  EXPECT_EQ(file.error().code, code) << file.error().message;
  EXPECT_THAT(file.error().message, HasSubstr(std::string(part)));
  EXPECT_THAT(file.error().message, HasSubstr(path));
}

TEST(MappedFileTest, HoldsTheBytesAndKeepsThemWhenMoved) {
  const test::TemporaryDirectory directory;
  auto opened = MappedFile::Open(directory.Write("a", "some bytes"));
  ASSERT_TRUE(opened.has_value()) << opened.error().message;
  EXPECT_EQ(Text(*opened), "some bytes");

  const std::byte* address = opened->Bytes().data();
  MappedFile moved = std::move(*opened);
  EXPECT_EQ(moved.Bytes().data(), address);
  MappedFile assigned;
  assigned = std::move(moved);
  EXPECT_EQ(assigned.Bytes().data(), address);
  EXPECT_EQ(Text(assigned), "some bytes");
}

TEST(MappedFileTest, OutlivesTheNameOfTheFile) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a", "some bytes");
  const auto file = MappedFile::Open(path);
  std::filesystem::remove(path);
  EXPECT_EQ(Text(*file), "some bytes");
}

TEST(MappedFileTest, AnEmptyFileHasNoBytes) {
  const test::TemporaryDirectory directory;
  const auto file = MappedFile::Open(directory.Write("a", ""));
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->Bytes().empty());
}

TEST(MappedFileTest, RefusesWhatIsNotThere) {
  const test::TemporaryDirectory directory;
  ExpectError(directory.Path() / "missing", StatusCode::kNotFound, "not found");
  ExpectError(directory.Write("a", "x") + "/below", StatusCode::kNotFound, "not found");
}

TEST(MappedFileTest, RefusesWhatIsNotARegularFile) {
  const test::TemporaryDirectory directory;
  const std::string fifo = directory.Path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  ExpectError(directory.Path(), StatusCode::kFailedPrecondition,
              "is a directory; expected a regular file");
  ExpectError(fifo, StatusCode::kFailedPrecondition, "is a FIFO; expected a regular file");
  ExpectError("/dev/zero", StatusCode::kFailedPrecondition, "is a device; expected a regular file");
}

TEST(MappedFileTest, RefusesWhatMayNotBeRead) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const test::TemporaryDirectory directory;
  const std::string path = directory.Write("a", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  ExpectError(path, StatusCode::kPermissionDenied, "cannot be opened");
}

}  // namespace
}  // namespace narrowgauge::internal
