#include "src/backends/native_kernels.h"

#include <array>
#include <cstddef>

#include "src/base/check.h"

namespace narrowgauge {
namespace internal {
namespace {

constexpr auto kKernels = std::to_array<NativeKernel>({
#define NG_NATIVE_KERNEL(name, x, w, isa, promise, words, tile)             \
  {{name, DType::x, DType::w, InstructionSet::isa, NativePromise::promise}, \
   NativeWords::words,                                                      \
   &tile},
#include "src/backends/native_kernels.inc"
#undef NG_NATIVE_KERNEL
});

constexpr auto kInfos = [] {
  std::array<NativeKernelInfo, kKernels.size()> infos;
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kKernels[i].info;
  return infos;
}();

// Whether `holder` has every value of `dtype`; of bfloat16 only as normals and zero, since the
// instruction that takes it takes subnormals for zero.
bool Holds(DType holder, DType dtype) {
  if (holder == dtype) return true;
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const bool is_integer = info.kind == DTypeKind::kInteger;
  switch (holder) {
    case DType::kFloat32:
      return info.total_bits <= 32;
    case DType::kBFloat16:
      if (is_integer) return info.total_bits <= 8;
      return info.exponent_bits < 8 && info.mantissa_bits <= 7;
    case DType::kInt8:
      return is_integer && info.total_bits < 8;
    case DType::kUint8:
      return is_integer && info.total_bits < 8 && !info.is_signed;
    default:
      return false;
  }
}

}  // namespace

std::span<const NativeKernel> AllNativeTiles() { return kKernels; }

const NativeKernel* FindNativeTile(InstructionSet isa, DType x, DType w, NativePromise promise) {
  const NativeKernel* found = nullptr;
  for (const NativeKernel& kernel : kKernels) {
    const bool fits = kernel.info.isa <= isa && kernel.info.promise == promise;
    if (fits && TakesOperands(kernel.info, x, w)) found = &kernel;
  }
  return found;
}

}  // namespace internal

std::string_view NativePromiseWords(NativePromise promise) {
  switch (promise) {
    case NativePromise::kFloat32Chain:
      return "the bits of the sequential float32 FMA chain (acc=float32)";
    case NativePromise::kAvx512Bf16:
      return "the bits of acc=intel/avx512_bf16";
    case NativePromise::kInt32:
      return "exact modulo 2^32";
  }
  NG_CHECK(false);
  return {};
}

std::span<const NativeKernelInfo> AllNativeKernels() { return internal::kInfos; }

bool TakesOperands(const NativeKernelInfo& kernel, DType x, DType w) {
  return internal::Holds(kernel.x, x) && internal::Holds(kernel.w, w);
}

const NativeKernelInfo* FindNativeKernel(InstructionSet isa, DType x, DType w,
                                         NativePromise promise) {
  const internal::NativeKernel* const found = internal::FindNativeTile(isa, x, w, promise);
  return found == nullptr
             ? nullptr
             : &internal::kInfos[static_cast<std::size_t>(found - internal::kKernels.data())];
}

}  // namespace narrowgauge
