#ifndef NARROWGAUGE_BACKENDS_NATIVE_KERNELS_H_
#define NARROWGAUGE_BACKENDS_NATIVE_KERNELS_H_

#include <cstdint>
#include <span>

#include "narrowgauge/native_kernels.h"
#include "src/backends/native_words.h"
#include "src/kernels/tile_kernels.h"

namespace narrowgauge::internal {

// A row of native_kernels.inc.
struct NativeKernel {
  NativeKernelInfo info;
  NativeWords words;
  const TileKernel* tile;
};

// In the order of AllNativeKernels().
[[nodiscard]] std::span<const NativeKernel> AllNativeTiles();

// As the public FindNativeKernel.
[[nodiscard]] const NativeKernel* FindNativeTile(InstructionSet isa, DType x, DType w,
                                                 NativePromise promise);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BACKENDS_NATIVE_KERNELS_H_
