#ifndef NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_
#define NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "narrowgauge/instruction_set.h"
#include "src/kernels/kernels.h"

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

// Returns those of the supported sets that differ in a kernel: SetsThatDifferIn(&Kernels::encode).
template <typename Kernel>
std::vector<InstructionSet> SetsThatDifferIn(Kernel internal::Kernels::*kernel) {
  std::vector<InstructionSet> sets;
  for (const InstructionSet isa : SupportedInstructionSets()) {
    const auto is_same = [&](InstructionSet other) {
      return internal::KernelsFor(other).*kernel == internal::KernelsFor(isa).*kernel;
    };
    if (std::ranges::none_of(sets, is_same)) sets.push_back(isa);
  }
  return sets;
}

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_EVERY_INSTRUCTION_SET_H_
