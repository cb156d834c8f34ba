#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "narrowgauge/xplane.h"
#include "src/xplane/encode.h"

namespace narrowgauge {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// ---- A writer of the wire format of its own, so that the encoder does not judge itself ----------

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}

std::string Field(std::uint32_t number, std::int64_t value) {
  return Varint(number << 3) + Varint(static_cast<std::uint64_t>(value));
}

std::string Field(std::uint32_t number, const std::string& value) {
  return Varint(number << 3 | 2) + Varint(value.size()) + value;
}

std::string Name(std::uint32_t table, std::int64_t id, const std::string& name) {
  return Field(table, Field(1, id) + Field(2, Field(1, id) + Field(2, name)));
}

// A space with one event, which holds the stat.
std::string WithStat(const std::string& stat) {
  const std::string event = Field(1, 1) + Field(2, 0) + Field(3, 5) + Field(4, stat);
  const std::string line = Field(1, 1) + Field(2, "main") + Field(4, event);
  return Field(1, Field(2, "/host:CPU") + Field(3, line) + Name(4, 1, "op") + Name(5, 1, "s"));
}

Result<XSpace> Decode(const std::string& bytes) {
  return DecodeXSpace(std::as_bytes(std::span(bytes)));
}

const XEvent& OnlyEvent(const Result<XSpace>& space) {
  return space.value().planes.at(0).lines.at(0).events.at(0);
}

XSpace FullSpace() {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  XSpace space;
  XPlane& plane = space.planes.emplace_back();
  plane.id = 7;
  plane.name = "/host:CPU";
  plane.stats = {{"peak", 1.5}, {"name", std::string("name")}};
  XEvent event{"op", kMax, kMin, {}};
  event.stats = {{"i", kMin},
                 {"u", std::numeric_limits<std::uint64_t>::max()},
                 {"d", std::numeric_limits<double>::denorm_min()},
                 {"text", std::string("value")},
                 {"nothing", std::string()}};
  plane.lines = {{-1, "first", 1'700'000'000'000'000'001, {event, {"op", 1, 2, {}}}},
                 {2, "", 0, {}}};
  space.planes.emplace_back().name = "Task Environment";
  space.errors = {"an error"};
  space.warnings = {"one", "two"};
  space.hostnames = {"höst"};
  return space;
}

// ---- Both ways ----------------------------------------------------------------------------------

TEST(XPlaneCodecTest, RoundTripsEverythingASpaceCanHold) {
  for (const XSpace& space : {XSpace(), FullSpace()}) {
    const auto bytes = EncodeXSpace(space);
    ASSERT_TRUE(bytes);
    const auto decoded = Decode(*bytes);
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, space);
    EXPECT_EQ(EncodeXSpace(*decoded).value(), *bytes);
  }
}

TEST(XPlaneCodecTest, WritesTheseBytes) {
  XSpace space;
  space.planes.push_back(
      {1, "p", {{3, "l", 9, {{"e", 4, 300, {{"s", std::string("e")}, {"t", 0.5}}}}}}, {}});
  space.hostnames = {"h"};
  const std::string half("\x11\0\0\0\0\0\0\xE0\x3F", 9);
  const std::string event = Field(1, 1) + Field(2, 4) + Field(3, 300) +
                            Field(4, Field(1, 1) + Field(7, 2)) + Field(4, Field(1, 3) + half);
  const std::string line = Field(1, 3) + Field(2, "l") + Field(3, 9) + Field(4, event);
  // protozero leaves room for the longest length of a message and closes the gap afterwards, so the
  // bytes are those of any other writer.
  const std::string expected =
      Field(1, Field(1, 1) + Field(2, "p") + Field(3, line) + Name(4, 1, "e") + Name(5, 1, "s") +
                   Name(5, 2, "e") + Name(5, 3, "t")) +
      Field(4, "h");
  EXPECT_EQ(EncodeXSpace(space).value(), expected);
}

// ---- Writing ------------------------------------------------------------------------------------

TEST(XPlaneCodecTest, RefusesToWriteTextThatIsNotUtf8AndSaysWhere) {
  const auto message = [](const XSpace& space) {
    const auto bytes = EncodeXSpace(space);
    return bytes ? "written" : bytes.error().message;
  };
  XSpace space = FullSpace();
  space.planes[0].lines[0].events[1].name = "op\xff";
  EXPECT_THAT(message(space), HasSubstr("planes[0].lines[0].events[1].name"));
  space = FullSpace();
  space.planes[0].lines[0].events[0].stats[3].value = std::string("\xC0\x80");
  EXPECT_THAT(message(space), HasSubstr("planes[0].lines[0].events[0].stats[3].value"));
  space = FullSpace();
  space.planes[0].stats[1].name = "\xED\xA0\x80";
  EXPECT_THAT(message(space), HasSubstr("planes[0].stats[1].name"));
  space = FullSpace();
  space.warnings[1] = "\x80";
  EXPECT_THAT(message(space), HasSubstr("warnings[1]"));
  EXPECT_EQ(EncodeXSpace(space).error().code, StatusCode::kInvalidArgument);
}

TEST(XPlaneCodecTest, RefusesToGrowBeyondTheLimit) {
  const XSpace space = FullSpace();
  const std::size_t size = EncodeXSpace(space)->size();
  EXPECT_TRUE(internal::EncodeXSpaceWithin(space, size));
  for (std::size_t limit = 0; limit < size; ++limit) {
    const auto bytes = internal::EncodeXSpaceWithin(space, limit);
    ASSERT_FALSE(bytes) << limit;
    EXPECT_EQ(bytes.error().code, StatusCode::kResourceExhausted);
  }
}

// ---- Reading ------------------------------------------------------------------------------------

TEST(XPlaneCodecTest, ResolvesNamesThatComeBeforeOrAfterTheirUse) {
  const std::string line = Field(3, Field(4, Field(1, 1) + Field(4, Field(7, 2) + Field(1, 1))));
  const std::string names = Name(4, 1, "op") + Name(5, 1, "s") + Name(5, 2, "value");
  for (const std::string& plane : {line + names, names + line}) {
    const auto space = Decode(Field(1, plane));
    ASSERT_TRUE(space);
    EXPECT_EQ(OnlyEvent(space).name, "op");
    EXPECT_THAT(OnlyEvent(space).stats, ElementsAre(XStat{"s", std::string("value")}));
  }
}

TEST(XPlaneCodecTest, ReadsAStatWhoseNameIsUnknown) {
  const auto space = Decode(WithStat(Field(1, 99) + Field(4, 1)));
  ASSERT_TRUE(space);
  EXPECT_THAT(OnlyEvent(space).stats, ElementsAre(XStat{"#99", std::int64_t{1}}));
}

TEST(XPlaneCodecTest, SkipsFieldsItDoesNotKnow) {
  const std::string unknown = Field(100, 5) + Field(101, "text") + Varint(102 << 3 | 1) +
                              "12345678" + Varint(103 << 3 | 5) + "1234";
  const auto space = Decode(unknown + WithStat(unknown + Field(1, 1) + Field(3, -1) + unknown));
  ASSERT_TRUE(space) << space.error().message;
  EXPECT_THAT(OnlyEvent(space).stats,
              ElementsAre(XStat{"s", std::numeric_limits<std::uint64_t>::max()}));
}

TEST(XPlaneCodecTest, ReadsNanosecondsSince1970Exactly) {
  const std::string line = Field(3, 1'700'000'000'000'000'001) + Field(4, Field(2, 1'000'000));
  const auto space = Decode(Field(1, Field(3, line)));
  ASSERT_TRUE(space);
  EXPECT_EQ(space->planes[0].lines[0].timestamp_ns, 1'700'000'000'000'000'001);
  EXPECT_EQ(OnlyEvent(space).offset_ps, 1'000'000);
}

TEST(XPlaneCodecTest, ReadsTextThatIsNotUtf8WithReplacements) {
  const auto space = Decode(WithStat(Field(1, 1) + Field(5, "a\xff")) + Field(2, "\xE2\x82"));
  ASSERT_TRUE(space);
  EXPECT_THAT(OnlyEvent(space).stats, ElementsAre(XStat{"s", std::string("a\xEF\xBF\xBD")}));
  EXPECT_THAT(space->errors, ElementsAre("\xEF\xBF\xBD"));
  EXPECT_TRUE(EncodeXSpace(*space));
}

struct Malformed {
  const char* name;
  std::string bytes;
  const char* reason;
  const char* place;
};

class XPlaneMalformedTest : public testing::TestWithParam<Malformed> {};

TEST_P(XPlaneMalformedTest, SaysWhatIsWrongAndWhere) {
  const auto space = Decode(GetParam().bytes);
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, StatusCode::kDataLoss);
  EXPECT_THAT(space.error().message,
              AllOf(HasSubstr(GetParam().reason), HasSubstr(GetParam().place)));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, XPlaneMalformedTest,
    testing::Values(Malformed{"LengthLies", "\x0a\x80\x80\x80\x80\x0c", "longer than what is left",
                              "at byte 0 of 6, in the space itself"},
                    // A length that 32 bits would cut to 2.
                    Malformed{"LengthOf33Bits",
                              "\x0a\x82\x80\x80\x80\x10"
                              "ab",
                              "longer than what is left", "at byte 0 of 8"},
                    Malformed{"LengthLiesInside",
                              WithStat("\x2a\x05"
                                       "abc"),
                              "longer than what is left",
                              "in planes[0].lines[0].events[0].stats[0]"},
                    Malformed{"NumberCutOff", Field(1, Field(2, "p")) + Field(1, "\x08\x80"),
                              "ends inside a number", "at byte 7 of 9, in planes[1]"},
                    Malformed{"NumberTooLong", Field(1, "\x08" + std::string(10, '\xff') + "\x01"),
                              "more than ten bytes", "at byte 2 of 14, in planes[0]"},
                    Malformed{"WrongKind", Field(1, Field(3, 5)), "another kind", "in planes[0]"},
                    Malformed{"Group", Field(1, std::string("\x7b", 1)), "a kind that is not used",
                              "planes[0]"},
                    Malformed{"FieldZero", Field(1, Field(4, std::string("\0\0", 2))),
                              "field number out of range", "in planes[0].event_metadata[0]"}),
    [](const auto& test) { return test.param.name; });

TEST(XPlaneCodecTest, SurvivesTruncationAtEveryByte) {
  const std::string bytes = *EncodeXSpace(FullSpace());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto space = Decode(bytes.substr(0, size));
    EXPECT_TRUE(space || space.error().code == StatusCode::kDataLoss) << size;
  }
}

TEST(XPlaneCodecTest, SurvivesEveryChangeOfOneByte) {
  const std::string bytes = *EncodeXSpace(FullSpace());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(value);
      const auto space = Decode(changed);
      EXPECT_TRUE(!space || EncodeXSpace(*space)) << i << " " << value;
    }
  }
}

TEST(XPlaneCodecTest, RefusesNamesRepeatedBeyondAllMeasure) {
  std::string events;
  for (int i = 0; i < 2000; ++i) events += Field(4, Field(1, 1));
  const auto space = Decode(Field(1, Field(3, events) + Name(4, 1, std::string(1 << 20, 'x'))));
  ASSERT_FALSE(space);
  EXPECT_EQ(space.error().code, StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace narrowgauge
