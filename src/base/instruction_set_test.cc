#include "narrowgauge/instruction_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace narrowgauge {
namespace {

TEST(InstructionSetTest, BaselineIsAlwaysThereAndFirst) {
  ASSERT_FALSE(SupportedInstructionSets().empty());
  EXPECT_EQ(SupportedInstructionSets().front(), InstructionSet::kBaseline);
}

TEST(InstructionSetTest, EverySupportedSetIsFoundByItsName) {
  for (const InstructionSet isa : SupportedInstructionSets()) {
    EXPECT_EQ(SelectInstructionSet(InstructionSetName(isa)).value(), isa);
  }
}

TEST(InstructionSetTest, TheEnvironmentChoosesWhereNoNameIsGiven) {
  ASSERT_EQ(setenv("NARROWGAUGE_ISA", "baseline", 1), 0);
  EXPECT_EQ(SelectInstructionSet().value(), InstructionSet::kBaseline);
  ASSERT_EQ(unsetenv("NARROWGAUGE_ISA"), 0);
  EXPECT_EQ(SelectInstructionSet().value(), SupportedInstructionSets().back());
}

TEST(InstructionSetTest, AnUnknownNameIsRefusedWithTheList) {
  const auto selected = SelectInstructionSet("avx1024");
  ASSERT_FALSE(selected.has_value());
  EXPECT_EQ(selected.error().code, StatusCode::kInvalidArgument);
  EXPECT_THAT(selected.error().message, testing::HasSubstr("expected one of baseline"));
}

}  // namespace
}  // namespace narrowgauge
