#include "narrowgauge/instruction_set.h"

#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "src/base/nearest_name.h"

namespace narrowgauge {
namespace {

struct Row {
  InstructionSet isa;
  std::string_view name;
  bool (*runs_here)();
};

#if defined(__x86_64__)
// Clang's __builtin_cpu_supports knows no f16c.
bool HasF16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && HasF16c();
}
bool HasAvx512() {
  return HasAvx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}
bool HasAvx512Vnni() { return HasAvx512() && __builtin_cpu_supports("avx512vnni"); }
bool HasAvx512Bf16() { return HasAvx512Vnni() && __builtin_cpu_supports("avx512bf16"); }

// CPUID leaf 7, EDX: bit 22 is AMX-BF16, bit 24 AMX-TILE. Linux grants the tile registers, which
// enlarge every signal frame, to those processes that ask.
bool HasAmxBf16() {
#if defined(__linux__)
  unsigned eax = 7, ebx = 0, ecx = 0, edx = 0;
  __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  constexpr unsigned kAmx = (1U << 22) | (1U << 24);
  constexpr long kArchReqXcompPerm = 0x1023;
  constexpr long kXfeatureXtileData = 18;
  return HasAvx512Bf16() && (edx & kAmx) == kAmx &&
         syscall(SYS_arch_prctl, kArchReqXcompPerm, kXfeatureXtileData) == 0;
#else
  return false;
#endif
}
#else
bool HasAvx2() { return false; }
bool HasAvx512() { return false; }
bool HasAvx512Vnni() { return false; }
bool HasAvx512Bf16() { return false; }
bool HasAmxBf16() { return false; }
#endif

constexpr Row kRows[] = {
    {InstructionSet::kBaseline, "baseline", [] { return true; }},
    {InstructionSet::kAvx2, "avx2", HasAvx2},
    {InstructionSet::kAvx512, "avx512", HasAvx512},
    {InstructionSet::kAvx512Vnni, "avx512_vnni", HasAvx512Vnni},
    {InstructionSet::kAvx512Bf16, "avx512_bf16", HasAvx512Bf16},
    {InstructionSet::kAmxBf16, "amx_bf16", HasAmxBf16},
};

}  // namespace

std::string_view InstructionSetName(InstructionSet isa) {
  return kRows[static_cast<std::size_t>(isa)].name;
}

const std::vector<InstructionSet>& SupportedInstructionSets() {
  static const std::vector<InstructionSet> supported = [] {
    std::vector<InstructionSet> sets;
    for (const Row& row : kRows) {
      if (row.runs_here()) sets.push_back(row.isa);
    }
    return sets;
  }();
  return supported;
}

Result<InstructionSet> SelectInstructionSet(std::string_view name) {
  const auto& supported = SupportedInstructionSets();
  const char* environment = std::getenv("NARROWGAUGE_ISA");
  if (name.empty() && environment != nullptr) name = environment;
  if (name.empty()) return supported.back();

  std::vector<std::string_view> names;
  for (const InstructionSet isa : supported) {
    if (InstructionSetName(isa) == name) return isa;
    names.push_back(InstructionSetName(isa));
  }
  return MakeError(StatusCode::kInvalidArgument,
                   internal::UnknownName("instruction set for this machine", name, names));
}

}  // namespace narrowgauge
