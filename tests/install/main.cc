// Uses a value and an error of the installed library, so that what it links itself is needed too.
#include <iostream>

#include "narrowgauge/instruction_set.h"

int main() {
  std::cout << narrowgauge::InstructionSetName(narrowgauge::InstructionSet::kBaseline) << '\n';
  const auto unknown = narrowgauge::SelectInstructionSet("none");
  std::cout << (unknown ? "" : unknown.error().message) << '\n';
}
