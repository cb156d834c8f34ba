#include "src/trace/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <thread>

namespace narrowgauge::internal {
namespace {

std::int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(RecorderTest, RecordsNothingWithoutARecorder) {
  const Scope scope(nullptr, "event", {{"n", std::int64_t{1}}});
  RecordInstant(nullptr, "event", {});
}

TEST(RecorderTest, ReturnsAnEmptyRecordingWhenNothingHappened) {
  const std::int64_t before_ns = NowNs();
  Recorder recorder;
  const Recording recording = recorder.Stop();
  EXPECT_TRUE(recording.threads.empty());
  EXPECT_GE(recording.start_ns, before_ns);
  EXPECT_GE(recording.stop_ns, recording.start_ns);
}

TEST(RecorderTest, KeepsEventsInTheOrderInWhichTheyBeganWithTheirStats) {
  Recorder recorder;
  {
    const Scope outer(&recorder, "outer", {{"i", std::int64_t{-7}}, {"text", "abc"}});
    RecordInstant(&recorder, "instant", {{"u", std::uint64_t{1} << 63}});
    const Scope inner(&recorder, "inner", {{"d", 0.5}});
  }
  const Recording recording = recorder.Stop();
  ASSERT_EQ(recording.threads.size(), 1U);
  EXPECT_EQ(recording.threads[0].id, 1);
  EXPECT_FALSE(recording.threads[0].name.empty());
  const auto& events = recording.threads[0].events;
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].name, "outer");
  EXPECT_THAT(events[0].stats, testing::ElementsAre(RecordedStat{"i", std::int64_t{-7}},
                                                    RecordedStat{"text", std::string("abc")}));
  EXPECT_EQ(events[1].name, "instant");
  EXPECT_EQ(events[1].duration_ps, 0);
  EXPECT_THAT(events[1].stats, testing::ElementsAre(RecordedStat{"u", std::uint64_t{1} << 63}));
  EXPECT_EQ(events[2].name, "inner");
  EXPECT_THAT(events[2].stats, testing::ElementsAre(RecordedStat{"d", 0.5}));
}

TEST(RecorderTest, NestsInTimeAndStaysWithinTheRecording) {
  Recorder recorder;
  {
    const Scope outer(&recorder, "outer");
    const Scope inner(&recorder, "inner");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  const Recording recording = recorder.Stop();
  const auto& events = recording.threads.at(0).events;
  const auto end_ps = [](const RecordedEvent& event) { return event.start_ps + event.duration_ps; };
  EXPECT_GE(events[0].start_ps, 0);
  EXPECT_LE(events[0].start_ps, events[1].start_ps);
  EXPECT_GE(events[1].duration_ps, 2'000'000'000);
  EXPECT_LE(end_ps(events[1]), end_ps(events[0]));
  EXPECT_LE(end_ps(events[0]), (recording.stop_ns - recording.start_ns) * 1000);
}

TEST(RecorderTest, LosesNothingFromSeveralThreadsAtOnce) {
  constexpr std::int64_t kThreads = 4;
  constexpr std::int64_t kEvents = 3000;  // More than a buffer's first room.
  Recorder recorder;
  std::latch all_started(kThreads);
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      all_started.arrive_and_wait();
      for (std::int64_t i = 0; i < kEvents; ++i) {
        const Scope scope(&recorder, "work", {{"thread", t}, {"i", i}});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Recording recording = recorder.Stop();
  ASSERT_EQ(std::ssize(recording.threads), kThreads);
  std::int64_t threads_seen = 0;
  for (const RecordedThread& thread : recording.threads) {
    ASSERT_EQ(std::ssize(thread.events), kEvents);
    const auto first = std::get<std::int64_t>(thread.events[0].stats.at(0).value);
    threads_seen |= std::int64_t{1} << first;
    for (std::int64_t i = 0; i < kEvents; ++i) {
      EXPECT_THAT(thread.events[static_cast<std::size_t>(i)].stats,
                  testing::ElementsAre(RecordedStat{"thread", first}, RecordedStat{"i", i}));
    }
  }
  EXPECT_EQ(threads_seen, (1 << kThreads) - 1);
}

TEST(RecorderTest, KeepsTwoRecordersOfOneThreadApart) {
  Recorder a;
  Recorder b;
  for (int i = 0; i < 3; ++i) {
    const Scope in_a(&a, "a");
    const Scope in_b(&b, "b");
  }
  for (Recorder* recorder : {&a, &b}) {
    const Recording recording = recorder->Stop();
    ASSERT_EQ(recording.threads.size(), 1U);
    EXPECT_THAT(
        recording.threads[0].events,
        testing::AllOf(testing::SizeIs(3), testing::Each(testing::Field(
                                               &RecordedEvent::name, recorder == &a ? "a" : "b"))));
  }
}

TEST(RecorderTest, RemembersNothingOfTheRecorderBefore) {
  for (int i = 0; i < 2; ++i) {
    Recorder recorder;
    RecordInstant(&recorder, "once", {});
    EXPECT_EQ(recorder.Stop().threads.at(0).events.size(), 1U);
  }
}

}  // namespace
}  // namespace narrowgauge::internal
