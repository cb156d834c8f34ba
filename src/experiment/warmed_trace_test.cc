#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "narrowgauge/experiment.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Sets an environment variable, or removes it, until the end of the test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    Set(value);
  }
  ~ScopedVariable() { Set(old_ ? old_->c_str() : nullptr); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void Set(const char* value) { value == nullptr ? unsetenv(name_) : setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> old_;
};

class WarmedTraceTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Below(const char* name) const {
    return (directory_.Path() / name).string();
  }
  [[nodiscard]] bool Empty() const { return fs::is_empty(directory_.Path()); }

  test::TemporaryDirectory directory_;
};

const XStat* FindStat(const XEvent& event, std::string_view name) {
  for (const XStat& stat : event.stats) {
    if (stat.name == name) return &stat;
  }
  return nullptr;
}

// ---- What a capture holds -----------------------------------------------------------------------

class WarmedTraceStepsTest : public WarmedTraceTest,
                             public testing::WithParamInterface<std::int64_t> {};

TEST_P(WarmedTraceStepsTest, ReportsWhatTheFileHolds) {
  const std::int64_t steps = GetParam();
  const auto trace = CaptureWarmedTrace({.steps = steps, .trace_dir = Below("a/b")});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_GT(trace->warmup_ms, 0);
  EXPECT_GT(trace->steady_ms, 0);
  EXPECT_EQ(trace->xplane_count, 1);
  EXPECT_EQ(trace->trace_dir, Below("a/b"));
  EXPECT_EQ(trace->path,
            trace->trace_dir + "/plugins/profile/" + trace->run + "/" + trace->host + ".xplane.pb");
  EXPECT_FALSE(trace->kernel.empty());
  EXPECT_EQ(trace->first_nonfinite_step, steps > 4 ? 4 : -1);

  EXPECT_EQ(trace->verified.steps, steps);
  EXPECT_EQ(trace->verified.events, 4 * steps);
  EXPECT_EQ(trace->verified.size_bytes, fs::file_size(trace->path));
  // The steps are what steady_ms times, but for what lies between them.
  const double traced_ms =
      static_cast<double>(trace->verified.step_time_total_ps) * 1e-9 / static_cast<double>(steps);
  EXPECT_LE(traced_ms, trace->steady_ms);
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(trace->path).parent_path()), {}), 1);
}

INSTANTIATE_TEST_SUITE_P(Steps, WarmedTraceStepsTest, testing::Values(1, 4, 6));

TEST_F(WarmedTraceTest, RecordsEachStepWithItsOperationAndItsMemory) {
  const auto trace = CaptureWarmedTrace({.steps = 3, .trace_dir = Below("t")});
  ASSERT_TRUE(trace) << trace.error().message;
  const auto space = ReadXSpace(trace->path);
  ASSERT_TRUE(space);
  EXPECT_THAT(space->hostnames, testing::ElementsAre(trace->host));
  ASSERT_EQ(space->planes.at(0).name, "/host:CPU");
  ASSERT_EQ(space->planes[0].lines.size(), 1U);
  const auto& events = space->planes[0].lines[0].events;
  ASSERT_EQ(events.size(), 12U);

  constexpr std::int64_t kBufferBytes = 256 * 256 * 2;
  const XStat* freed_in_step_before = nullptr;
  for (std::size_t i = 0; i < 3; ++i) {
    const XEvent& step = events[4 * i];
    const XEvent& allocation = events[4 * i + 1];
    const XEvent& operation = events[4 * i + 2];
    const XEvent& deallocation = events[4 * i + 3];
    EXPECT_EQ(step.name, "step");
    EXPECT_THAT(step.stats, testing::ElementsAre(XStat{"_r", std::int64_t{1}},
                                                 XStat{"step_num", static_cast<std::int64_t>(i)}));
    for (const XEvent* inner : {&allocation, &operation, &deallocation}) {
      EXPECT_GE(inner->offset_ps, step.offset_ps);
      EXPECT_LE(inner->offset_ps + inner->duration_ps, step.offset_ps + step.duration_ps);
    }

    EXPECT_EQ(operation.name, "dot_general");
    EXPECT_THAT(operation.stats,
                testing::IsSupersetOf({XStat{"tf_op", std::string("step/dot_general:dot_general")},
                                       XStat{"flops", std::int64_t{33'554'432}},
                                       XStat{"bytes_accessed", 3 * kBufferBytes},
                                       XStat{"kernel", std::string(trace->kernel)}}));

    EXPECT_EQ(allocation.name, "MemoryAllocation");
    EXPECT_THAT(allocation.stats,
                testing::IsSupersetOf({XStat{"bytes_allocated", 2 * kBufferBytes},
                                       XStat{"bytes_available", std::int64_t{0}},
                                       XStat{"requested_bytes", kBufferBytes},
                                       XStat{"peak_bytes_in_use", 2 * kBufferBytes}}));
    EXPECT_EQ(deallocation.name, "MemoryDeallocation");
    EXPECT_THAT(deallocation.stats,
                testing::IsSupersetOf({XStat{"bytes_allocated", kBufferBytes},
                                       XStat{"bytes_available", kBufferBytes}}));
    EXPECT_EQ(FindStat(allocation, "tf_op"), nullptr);
    EXPECT_EQ(FindStat(deallocation, "tf_op"), nullptr);
    // Two buffers take turns.
    ASSERT_NE(FindStat(allocation, "addr"), nullptr);
    EXPECT_NE(*FindStat(allocation, "addr"), *FindStat(deallocation, "addr"));
    if (freed_in_step_before != nullptr) {
      EXPECT_EQ(*FindStat(allocation, "addr"), *freed_in_step_before);
    }
    freed_in_step_before = FindStat(deallocation, "addr");
  }
}

TEST_F(WarmedTraceTest, TakesNoMoreSpaceThanItReservedBeforehand) {
  // Written only if the space that was reserved, 8192 bytes and 640 for each step, is enough.
  const auto trace = CaptureWarmedTrace({.steps = 20, .trace_dir = Below("t")});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_LE(trace->verified.size_bytes, 8192U + 20 * 640U);
}

// ---- Where it goes ------------------------------------------------------------------------------

TEST_F(WarmedTraceTest, TakesTheDirectoryFromTheEnvironmentUnlessItIsGiven) {
  const ScopedVariable variable("TPU_TRACE_DIR", Below("env").c_str());
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = ""}).value().trace_dir, Below("env"));
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = Below("given")}).value().trace_dir,
            Below("given"));
}

TEST_F(WarmedTraceTest, UsesTheCurrentDirectoryByDefaultAndForRelativePaths) {
  const fs::path before = fs::current_path();
  fs::current_path(directory_.Path());
  const ScopedVariable variable("TPU_TRACE_DIR", nullptr);
  const auto by_default = CaptureWarmedTrace({.steps = 1, .trace_dir = ""});
  const auto relative = CaptureWarmedTrace({.steps = 1, .trace_dir = "./x/../y//"});
  const fs::path here = fs::current_path();
  fs::current_path(before);
  EXPECT_EQ(by_default.value().trace_dir, (here / "tpu-xprof-trace").string());
  EXPECT_EQ(relative.value().trace_dir, (here / "y").string());
  EXPECT_FALSE(fs::exists(here / "x"));
}

TEST_F(WarmedTraceTest, ExpandsTheHomeDirectory) {
  const ScopedVariable home("HOME", directory_.Path().c_str());
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = "~/t"}).value().trace_dir, Below("t"));
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = "~"}).value().trace_dir,
            directory_.Path().string());
  const ScopedVariable homeless("HOME", nullptr);
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = "~/t"}).error().code,
            StatusCode::kInvalidArgument);
}

TEST_F(WarmedTraceTest, CountsEarlierCapturesAndOverwritesNone) {
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = Below("t")}).value().xplane_count, i);
  }
}

TEST_F(WarmedTraceTest, LosesNoCaptureOfTwoAtOnce) {
  const auto capture_some = [&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(CaptureWarmedTrace({.steps = 1, .trace_dir = Below("t")}));
    }
  };
  std::thread first(capture_some);
  capture_some();
  first.join();
  EXPECT_EQ(CaptureWarmedTrace({.steps = 1, .trace_dir = Below("t")}).value().xplane_count, 7);
}

// ---- What can go wrong --------------------------------------------------------------------------

TEST_F(WarmedTraceTest, RefusesStepsOutOfRange) {
  for (const std::int64_t steps : {std::int64_t{-1}, std::int64_t{0}, kMaxTraceSteps + 1}) {
    const auto trace = CaptureWarmedTrace({.steps = steps, .trace_dir = Below("t")});
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().code, StatusCode::kInvalidArgument);
    EXPECT_THAT(trace.error().message, HasSubstr(std::to_string(steps)));
  }
  EXPECT_TRUE(Empty());
}

TEST_F(WarmedTraceTest, RefusesADirectoryThatIsAFile) {
  const std::string file = directory_.Write("f", "content");
  const auto trace = CaptureWarmedTrace({.steps = 1, .trace_dir = file});
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, StatusCode::kFailedPrecondition);
  EXPECT_THAT(trace.error().message, AllOf(HasSubstr("Not a directory"), HasSubstr(file)));
  EXPECT_EQ(test::ReadBytes(file), "content");
}

TEST_F(WarmedTraceTest, SaysWhenTheDirectoryMayNotBeWritten) {
  fs::create_directory(Below("t"));
  fs::permissions(directory_.Path(), fs::perms(0755));
  fs::permissions(Below("t"), fs::perms(0555));
  const int result = test::InChild([&] {
    // The superuser may write anywhere, so the child becomes nobody.
    if (getuid() == 0 && setuid(65534) != 0) return 2;
    const auto trace = CaptureWarmedTrace({.steps = 1, .trace_dir = Below("t")});
    return !trace && trace.error().code == StatusCode::kPermissionDenied ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(fs::is_empty(Below("t")));
}

TEST_F(WarmedTraceTest, LeavesNothingWhenFilesMayNotGrow) {
  const int result = test::InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1024, 1024};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
    const auto trace = CaptureWarmedTrace({.steps = 4, .trace_dir = Below("a/b")});
    return !trace && trace.error().code == StatusCode::kResourceExhausted ? 0 : 3;
  });
  EXPECT_EQ(result, 0);
  EXPECT_TRUE(Empty());
}

TEST_F(WarmedTraceTest, LeavesNothingOnAFullDisk) {
  const std::string disk = Below("disk");
  fs::create_directory(disk);
  if (mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) {
    GTEST_SKIP() << "needs the right to mount a small file system";
  }
  const auto trace = CaptureWarmedTrace({.steps = 100, .trace_dir = disk + "/t"});
  const bool empty = fs::is_empty(disk);
  umount(disk.c_str());
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, StatusCode::kResourceExhausted);
  EXPECT_THAT(trace.error().message, AllOf(HasSubstr("No space"), HasSubstr(disk)));
  EXPECT_TRUE(empty);
}

}  // namespace
}  // namespace narrowgauge
