#ifndef NARROWGAUGE_BENCHMARKS_PEAKS_H_
#define NARROWGAUGE_BENCHMARKS_PEAKS_H_

#include <span>
#include <string_view>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge {

// What one core can do at most: independent multiply-adds that never leave the registers.
struct Peak {
  std::string_view name;
  InstructionSet isa;  // That it needs.
  void (*run)();
  double operations;  // Of one call, two a multiply-add.
};

[[nodiscard]] std::span<const Peak> AllPeaks();

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BENCHMARKS_PEAKS_H_
