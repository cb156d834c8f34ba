#include "src/xplane/from_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace narrowgauge::internal {
namespace {

TEST(XSpaceFromRecordingTest, MakesALineOfEachThreadAndKeepsTheTimes) {
  Recording recording;
  recording.start_ns = 1'700'000'000'000'000'001;
  recording.stop_ns = 1'700'000'000'000'000'999;
  recording.threads = {{1, "a", {{"op", 7, 8, {{"s", std::string("v")}, {"i", std::int64_t{3}}}}}},
                       {2, "b", {}}};
  XSpace expected;
  expected.planes = {
      {1,
       "/host:CPU",
       {{1, "a", 0, {{"op", 7, 8, {{"s", std::string("v")}, {"i", std::int64_t{3}}}}}},
        {2, "b", 0, {}}},
       {}},
      {2,
       "Task Environment",
       {},
       {{"profile_start_time", std::uint64_t{1'700'000'000'000'000'001}},
        {"profile_stop_time", std::uint64_t{1'700'000'000'000'000'999}}}}};
  expected.hostnames = {"host"};
  EXPECT_EQ(XSpaceFromRecording(recording, "host"), expected);
}

}  // namespace
}  // namespace narrowgauge::internal
