#include "src/backends/tutorial_step.h"
#include "tests/support/every_instruction_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace narrowgauge::internal {
namespace {

class TutorialStepTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, TutorialStepTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

// ones, 2^8, 2^24, 2^56, 2^120, then infinity.
TEST_P(TutorialStepTest, SquaresTheMatrixOfOnesUntilItOverflows) {
  std::vector<std::uint16_t> x(Bf16SquareStep::kElements, 0x3F80);
  std::vector<std::uint16_t> next(Bf16SquareStep::kElements);
  Bf16SquareStep step(GetParam());
  EXPECT_FALSE(step.KernelName().empty());
  for (const int exponent : {8, 24, 56, 120, 128, 128}) {
    step.Run(x, next);
    EXPECT_THAT(next, testing::Each(static_cast<std::uint16_t>((127 + exponent) << 7)));
    x.swap(next);
  }
}

}  // namespace
}  // namespace narrowgauge::internal
