#include "src/kernels/kernels.h"

#include "src/kernels/square_x86.h"

namespace narrowgauge::internal {

namespace baseline {
#include "src/kernels/declare_kernels.inc"
}
#if defined(__x86_64__)
namespace avx2 {
#include "src/kernels/declare_kernels.inc"
}
namespace avx512 {
#include "src/kernels/declare_kernels.inc"
}
#endif

namespace {

#define NG_KERNEL(member, Function, ...) .member = isa::Function,

constexpr Kernels kBaseline = [] {
  namespace isa = baseline;
  return Kernels{
#include "src/kernels/kernels.inc"
      .square_bfloat16_name = "float32 FMA chain"};
}();

#if defined(__x86_64__)
constexpr Kernels kAvx2 = [] {
  namespace isa = avx2;
  return Kernels{
#include "src/kernels/kernels.inc"
      .square_bfloat16_name = "float32 FMA chain"};
}();

constexpr Kernels kAvx512 = [] {
  namespace isa = avx512;
  Kernels kernels{
#include "src/kernels/kernels.inc"
      .square_bfloat16_name = "float32 FMA chain"};
  // On Zen 4 four elements are widened from memory in less than half the time of eight.
  kernels.sum_squares = avx2::SumSquares;
  return kernels;
}();

constexpr Kernels kAvx512Bf16 = [] {
  Kernels kernels = kAvx512;
  kernels.square_bfloat16 = avx512_bf16::SquareBFloat16;
  kernels.square_bfloat16_name = "vdpbf16ps";
  return kernels;
}();

constexpr Kernels kAmxBf16 = [] {
  Kernels kernels = kAvx512;
  kernels.square_bfloat16 = amx_bf16::SquareBFloat16;
  kernels.square_bfloat16_name = "tdpbf16ps";
  return kernels;
}();
#endif

#undef NG_KERNEL

}  // namespace

const Kernels& KernelsFor(InstructionSet isa) {
#if defined(__x86_64__)
  switch (isa) {
    case InstructionSet::kBaseline:
      return kBaseline;
    case InstructionSet::kAvx2:
      return kAvx2;
    case InstructionSet::kAvx512:
    case InstructionSet::kAvx512Vnni:
      return kAvx512;
    case InstructionSet::kAvx512Bf16:
      return kAvx512Bf16;
    case InstructionSet::kAmxBf16:
      return kAmxBf16;
  }
#endif
  static_cast<void>(isa);
  return kBaseline;
}

}  // namespace narrowgauge::internal
