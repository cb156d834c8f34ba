#ifndef NARROWGAUGE_BENCHMARKS_EVERY_INSTRUCTION_SET_H_
#define NARROWGAUGE_BENCHMARKS_EVERY_INSTRUCTION_SET_H_

#include <benchmark/benchmark.h>

#include <string>

#include "narrowgauge/instruction_set.h"

namespace narrowgauge {

// Registers `run` once per instruction set of this machine, as "NAME/isa".
inline void ForEveryInstructionSet(const std::string& name,
                                   void (*run)(benchmark::State&, InstructionSet)) {
  for (const InstructionSet isa : SupportedInstructionSets()) {
    benchmark::RegisterBenchmark((name + "/" + std::string(InstructionSetName(isa))).c_str(), run,
                                 isa)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BENCHMARKS_EVERY_INSTRUCTION_SET_H_
