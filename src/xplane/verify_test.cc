#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "narrowgauge/xplane.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kStartNs = 1'700'000'000'000'000'001;
constexpr std::int64_t kStopNs = kStartNs + 1000;
constexpr CaptureExpectation kExpected = {3, kStartNs - 1, kStopNs + 1};

XEvent Step(std::int64_t number, std::int64_t offset_ps, std::int64_t duration_ps) {
  return {"step", offset_ps, duration_ps, {{"_r", std::int64_t{1}}, {"step_num", number}}};
}

// Three steps of 100 ns, each with an operation inside, in a profile of 1 µs.
XSpace GoodSpace() {
  XSpace space;
  space.planes.resize(2);
  space.planes[0] = {1, "/host:CPU", {{1, "main", 0, {}}}, {}};
  for (std::int64_t i = 0; i < 3; ++i) {
    space.planes[0].lines[0].events.push_back(Step(i, i * 200'000, 100'000));
    space.planes[0].lines[0].events.push_back({"op", i * 200'000 + 1, 99'000, {}});
  }
  space.planes[1] = {2,
                     "Task Environment",
                     {},
                     {{"profile_start_time", static_cast<std::uint64_t>(kStartNs)},
                      {"profile_stop_time", static_cast<std::uint64_t>(kStopNs)}}};
  return space;
}

Result<CaptureSummary> Verify(const XSpace& space, const CaptureExpectation& expected = kExpected) {
  const test::TemporaryDirectory directory;
  return VerifyCapture(directory.Write("a.xplane.pb", *EncodeXSpace(space)), expected);
}

TEST(VerifyCaptureTest, ReportsWhatItFound) {
  const auto summary = Verify(GoodSpace());
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->size_bytes, EncodeXSpace(GoodSpace())->size());
  EXPECT_EQ(summary->steps, 3);
  EXPECT_EQ(summary->events, 6);
  EXPECT_EQ(summary->step_time_total_ps, 300'000);
  EXPECT_EQ(summary->profile_start_ns, kStartNs);
  EXPECT_EQ(summary->profile_stop_ns, kStopNs);
}

TEST(VerifyCaptureTest, CountsLineTimestampsIn) {
  XSpace space = GoodSpace();
  space.planes[0].lines[0].timestamp_ns = 500;
  EXPECT_TRUE(Verify(space));
  space.planes[0].lines[0].timestamp_ns = 501;  // The last step would end 1 ns too late.
  EXPECT_FALSE(Verify(space));
}

TEST(VerifyCaptureTest, AcceptsStepsThatFollowEachOtherOnSeveralLines) {
  XSpace space = GoodSpace();
  auto& lines = space.planes[0].lines;
  lines = {{1, "a", 0, {Step(0, 0, 100), Step(2, 200, 100)}}, {2, "b", 0, {Step(1, 100, 100)}}};
  EXPECT_TRUE(Verify(space));
}

TEST(VerifyCaptureTest, RefusesAStaleFile) {
  for (const auto& [after, before] :
       {std::pair(kStartNs + 1, kStopNs + 1), std::pair(kStartNs, kStopNs - 1)}) {
    const auto summary = Verify(GoodSpace(), {3, after, before});
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().code, StatusCode::kDataLoss);
    EXPECT_THAT(summary.error().message, HasSubstr("stale"));
  }
}

struct Fault {
  const char* name;
  std::function<void(XSpace&)> make;
  const char* message;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

std::vector<XEvent>& Events(XSpace& space) { return space.planes[0].lines[0].events; }

class VerifyCaptureFaultTest : public testing::TestWithParam<Fault> {};

TEST_P(VerifyCaptureFaultTest, IsRefusedWithItsName) {
  XSpace space = GoodSpace();
  GetParam().make(space);
  const auto summary = Verify(space);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(summary.error().message,
              AllOf(HasSubstr(GetParam().message), HasSubstr("a.xplane.pb")));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, VerifyCaptureFaultTest,
    testing::Values(
        Fault{"NoSteps", [](XSpace& s) { Events(s).clear(); }, "a step is missing: 0"},
        Fault{"FirstStepMissing", [](XSpace& s) { Events(s).erase(Events(s).begin()); },
              "a step is missing: 0"},
        Fault{"MiddleStepMissing", [](XSpace& s) { Events(s).erase(Events(s).begin() + 2); },
              "a step is missing: 1"},
        Fault{"LastStepMissing", [](XSpace& s) { Events(s).erase(Events(s).begin() + 4); },
              "a step is missing: 2"},
        Fault{"StepTwice", [](XSpace& s) { Events(s).push_back(Step(2, 700'000, 1)); },
              "a step appears twice: 2"},
        Fault{"StepTooMany", [](XSpace& s) { Events(s).push_back(Step(3, 700'000, 1)); },
              "it has 4 steps, expected 3"},
        Fault{"NegativeStepNumber", [](XSpace& s) { Events(s).push_back(Step(-1, 700'000, 1)); },
              "a step appears twice: -1"},
        Fault{"WrongOrder",
              [](XSpace& s) { std::swap(Events(s)[0].offset_ps, Events(s)[2].offset_ps); },
              "a step begins before the one before it: 1"},
        Fault{"Overlap", [](XSpace& s) { Events(s)[0].duration_ps = 200'001; },
              "a step begins before the one before it has ended: 1"},
        Fault{"StepWithoutNumber", [](XSpace& s) { Events(s)[0].stats.pop_back(); },
              "a step without step_num"},
        Fault{"NegativeDuration", [](XSpace& s) { Events(s)[1].duration_ps = -1; },
              "event 1 has a negative duration"},
        Fault{"BeforeTheProfile", [](XSpace& s) { Events(s)[1].offset_ps = -1; },
              "event 1 lies outside the profile"},
        Fault{"AfterTheProfile", [](XSpace& s) { Events(s)[5].duration_ps = 600'000; },
              "event 5 lies outside the profile"},
        Fault{"EpochTimestamp", [](XSpace& s) { s.planes[0].lines[0].timestamp_ns = kStartNs; },
              "event 0 lies outside the profile"},
        Fault{"NoEnvironment", [](XSpace& s) { s.planes.pop_back(); },
              "no plane \"Task Environment\""},
        Fault{"NoStopTime", [](XSpace& s) { s.planes[1].stats.pop_back(); }, "profile_stop_time"},
        Fault{"TimeIsText", [](XSpace& s) { s.planes[1].stats[0].value = std::string("1"); },
              "profile_start_time"},
        Fault{"StopBeforeStart",
              [](XSpace& s) { std::swap(s.planes[1].stats[0].value, s.planes[1].stats[1].value); },
              "outside the capture"}),
    [](const auto& test) { return test.param.name; });

TEST(VerifyCaptureTest, RefusesAFileThatIsEmptyOrCut) {
  const test::TemporaryDirectory directory;
  const std::string bytes = *EncodeXSpace(GoodSpace());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(VerifyCapture(directory.Write("a.xplane.pb", bytes.substr(0, size)), kExpected));
  }
}

TEST(VerifyCaptureTest, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(VerifyCapture("/nowhere/a.xplane.pb", kExpected).error().code, StatusCode::kNotFound);
}

}  // namespace
}  // namespace narrowgauge
