#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "src/kernels/kernels.h"
#include "src/kernels/plain.h"

#define NG_KERNEL_BODY "src/kernels/chain_kernels.inc"
#include "src/kernels/for_each_isa.inc"
