#include "src/kernels/tile_kernels.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "src/kernels/kernels.h"

#define NG_KERNEL_BODY "src/kernels/tile_kernels.inc"
#include "src/kernels/for_each_isa.inc"
