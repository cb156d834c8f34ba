// One step of a bfloat16 chain for all significands; the ordinary run has every seventh.

#include <gtest/gtest.h>

#include "tests/support/bfloat16_steps.h"
#include "tests/support/every_instruction_set.h"

namespace narrowgauge::internal {
namespace {

class ChainExhaustiveTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, ChainExhaustiveTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(ChainExhaustiveTest, BFloat16StepsRoundOnce) {
  ExpectExactBFloat16Steps(KernelsFor(GetParam()), 1);
}

}  // namespace
}  // namespace narrowgauge::internal
