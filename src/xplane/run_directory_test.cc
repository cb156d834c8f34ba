#include "src/xplane/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "tests/support/test_data.h"

namespace narrowgauge::internal {
namespace {

constexpr std::time_t kTime = 1'700'000'000;

// Makes a run with a file in it and keeps both; returns whether that went well.
bool KeepOneRun(const std::string& trace_dir) {
  auto run = RunDirectory::Create(trace_dir, kTime);
  if (!run) return false;
  std::ofstream file(run->Path() + "/content");
  file << getpid();
  run->Keep();
  return static_cast<bool>(file.flush());
}

TEST(RunDirectoryTest, NamesRunsByLocalTimeAndCountsOnWhenTaken) {
  const test::TemporaryDirectory directory;
  const std::string trace_dir = (directory.Path() / "a" / "b").string();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(KeepOneRun(trace_dir));
  std::tm local{};
  localtime_r(&kTime, &local);
  char base[32];
  std::strftime(base, sizeof base, "%Y_%m_%d_%H_%M_%S", &local);
  EXPECT_THAT(test::NamesIn(trace_dir + "/plugins/profile"),
              testing::ElementsAre(base, std::string(base) + "_1", std::string(base) + "_2"));
}

TEST(RunDirectoryTest, RemovesOnlyWhatItMade) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path existing = directory.Path() / "existing";
  std::filesystem::create_directory(existing);
  {
    const auto run = RunDirectory::Create((existing / "new" / "dir").string(), kTime);
    ASSERT_TRUE(run);
    EXPECT_TRUE(std::filesystem::is_directory(run->Path()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(existing));
}

TEST(RunDirectoryTest, LeavesParentsThatSomeoneElseCameToUse) {
  const test::TemporaryDirectory directory;
  const std::string trace_dir = (directory.Path() / "a").string();
  {
    const auto run = RunDirectory::Create(trace_dir, kTime);
    ASSERT_TRUE(run);
    ASSERT_TRUE(KeepOneRun(trace_dir));
  }
  EXPECT_EQ(test::NamesIn(trace_dir + "/plugins/profile").size(), 1U);
}

TEST(RunDirectoryTest, LosesNoRunOfTwoThreadsOrTwoProcesses) {
  constexpr int kRuns = 50;
  const test::TemporaryDirectory directory;
  const std::string trace_dir = (directory.Path() / "a").string();
  const auto keep_many = [&] {
    bool all = true;
    for (int i = 0; i < kRuns; ++i) all = KeepOneRun(trace_dir) && all;
    return all;
  };
  const auto fork_one = [&] {
    const pid_t child = fork();
    if (child == 0) _exit(keep_many() ? 0 : 1);
    return child;
  };
  const pid_t children[] = {fork_one(), fork_one()};
  bool kept[2] = {false, false};
  {
    std::thread first([&] { kept[0] = keep_many(); });
    kept[1] = keep_many();
    first.join();
  }
  EXPECT_TRUE(kept[0] && kept[1]);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const std::vector<std::string> names = test::NamesIn(trace_dir + "/plugins/profile");
  EXPECT_EQ(names.size(), 4U * kRuns);
  for (const std::string& name : names) {
    EXPECT_TRUE(std::filesystem::exists(trace_dir + "/plugins/profile/" + name + "/content"));
  }
}

TEST(RunDirectoryTest, FindsItsParentsAgainWhenOthersRemoveThem) {
  const test::TemporaryDirectory directory;
  const std::string trace_dir = (directory.Path() / "a").string();
  const auto come_and_go = [&] {
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(RunDirectory::Create(trace_dir, kTime));
  };
  std::thread first(come_and_go);
  come_and_go();
  first.join();
}

TEST(RunDirectoryTest, RefusesAFileInTheWay) {
  const test::TemporaryDirectory directory;
  const std::string file = directory.Write("f", "x");
  const std::string link = (directory.Path() / "link").string();
  std::filesystem::create_symlink("nowhere", link);
  for (const std::string& trace_dir : {file, file + "/below", link, link + "/below"}) {
    const auto run = RunDirectory::Create(trace_dir, kTime);
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().code, StatusCode::kFailedPrecondition);
    EXPECT_THAT(run.error().message, testing::HasSubstr(trace_dir));
  }
  EXPECT_THAT(test::NamesIn(directory.Path()), testing::ElementsAre("f", "link"));
}

TEST(HostFileStemTest, KeepsWhatAFileNameCanHold) {
  EXPECT_EQ(HostFileStem("vm-1.example.com"), "vm-1.example.com");
  EXPECT_EQ(HostFileStem("a/b c\xff"), "a_b_c_");
  EXPECT_EQ(HostFileStem(".."), "_.");
  EXPECT_EQ(HostFileStem(""), "localhost");
  EXPECT_FALSE(HostFileStem().empty());
}

}  // namespace
}  // namespace narrowgauge::internal
