#ifndef NARROWGAUGE_INSTRUCTION_SET_H_
#define NARROWGAUGE_INSTRUCTION_SET_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "narrowgauge/status.h"

namespace narrowgauge {

// What the kernels may use. Each set includes the ones before it. Results do not depend on it
// unless a kernel says so; the time they take does.
enum class InstructionSet : std::uint8_t {
  kBaseline,    // Portable C++; fused multiply-add through std::fma.
  kAvx2,        // AVX2, FMA, F16C.
  kAvx512,      // AVX-512 F, BW, DQ, VL, CD.
  kAvx512Vnni,  // ... and VNNI.
  kAvx512Bf16,  // ... and BF16.
  kAmxBf16,     // ... and AMX tiles with BF16, where the kernel of the system grants them.
};

// Returns "baseline", "avx2", "avx512", "avx512_vnni", "avx512_bf16" or "amx_bf16".
[[nodiscard]] std::string_view InstructionSetName(InstructionSet isa);

// Returns the sets this machine can run, baseline first.
[[nodiscard]] const std::vector<InstructionSet>& SupportedInstructionSets();

// Returns the set to use: the one named, else the one in the environment variable NARROWGAUGE_ISA,
// else the best this machine supports. kInvalidArgument for a name that does not exist or that this
// machine cannot run; the message lists those it can.
[[nodiscard]] Result<InstructionSet> SelectInstructionSet(std::string_view name = {});

}  // namespace narrowgauge

#endif  // NARROWGAUGE_INSTRUCTION_SET_H_
