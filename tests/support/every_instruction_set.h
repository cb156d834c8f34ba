#ifndef NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_
#define NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_

#include <gtest/gtest.h>

#include <string>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge::test {

// For tests that take an InstructionSet: INSTANTIATE_TEST_SUITE_P(EverySupportedSet, SomeTest,
// EveryInstructionSet(), InstructionSetTestName).

inline auto EveryInstructionSet() { return testing::ValuesIn(SupportedInstructionSets()); }

// Returns a set's name as GoogleTest takes it, such as "avx512bf16".
inline std::string InstructionSetTestName(const testing::TestParamInfo<InstructionSet>& param) {
  std::string name;
  for (const char c : InstructionSetName(param.param)) {
    if (c != '_') name += c;
  }
  return name;
}

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_
