#ifndef NARROWGAUGE_NATIVE_KERNELS_H_
#define NARROWGAUGE_NATIVE_KERNELS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "narrowgauge/dtype.h"
#include "narrowgauge/instruction_set.h"

// The kernels that multiply matrices for time, in the arithmetic that the CPU has.

namespace narrowgauge {

// What a kernel's sums are, bit for bit, whatever the number of threads. Where a sum is NaN, any
// NaN.
enum class NativePromise : std::uint8_t {
  kFloat32Chain,  // As acc=float32: fma(x, w, sum) from 0, k ascending.
  kAvx512Bf16,    // As acc=intel/avx512_bf16.
  kInt32,         // The exact sum modulo 2^32.
};

// "the bits of the sequential float32 FMA chain", ...
[[nodiscard]] std::string_view NativePromiseWords(NativePromise promise);

struct NativeKernelInfo {
  std::string_view name;
  // What it multiplies. Formats whose values these types hold are converted while packing.
  DType x = DType::kFloat32;
  DType w = DType::kFloat32;
  InstructionSet isa = InstructionSet::kBaseline;  // The least that it needs.
  NativePromise promise = NativePromise::kFloat32Chain;
};

// All kernels of this build, those of better instruction sets later.
[[nodiscard]] std::span<const NativeKernelInfo> AllNativeKernels();

// Whether a kernel multiplies operands of these types: they are its own, or their values are.
[[nodiscard]] bool TakesOperands(const NativeKernelInfo& kernel, DType x, DType w);

// Returns the best kernel that `isa` may use for operands of these types under this promise; null
// if there is none.
[[nodiscard]] const NativeKernelInfo* FindNativeKernel(InstructionSet isa, DType x, DType w,
                                                       NativePromise promise);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_NATIVE_KERNELS_H_
