#ifndef NARROWGAUGE_KERNELS_TILE_KERNELS_H_
#define NARROWGAUGE_KERNELS_TILE_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace narrowgauge::internal {

// Operands of the native products are words of four bytes along K: one float32, two bfloat16 or
// int16, four int8, the smallest k in the lowest bytes.
inline constexpr std::int64_t kWordBytes = 4;

// Whether sums begin, or go on from what is there.
enum class TileSums : std::uint8_t { kBegin, kResume };

// Some rows of x times a panel of w. The panel holds words for the tile kernel's number of channels
// side by side, word after word of k. Sums are float32 or int32, row-major.
struct TileBlock {
  const std::byte* x = nullptr;  // Word 0 of row 0; rows are contiguous and need no alignment.
  std::int64_t x_stride = 0;     // Bytes from row to row.
  std::int64_t rows = 0;
  std::int64_t words = 0;
  const std::byte* panel = nullptr;
  std::byte* sums = nullptr;
  std::int64_t sums_stride = 0;  // Bytes from row to row.
  std::int64_t columns = 0;      // That there are sums for.
  TileSums mode = TileSums::kBegin;
  const std::uint32_t* starts = nullptr;  // The channels' sums begin here, as bits; null: at 0.
};

// Multiplies a block. Sums are carried in their type from word to word, so that cutting K into
// several blocks, each resuming the last, does not change them.
using TileFunction = void (*)(const TileBlock& block);

// One of the kernels below.
struct TileKernel {
  TileFunction multiply = nullptr;
  std::int64_t panel_columns = 0;
  std::int64_t tile_rows = 0;  // Blocks of a multiple of so many rows are fastest.
};

// float32 words: fma(x, w, sum) in order of k. int16 words: sum + x[0] * w[0] + x[1] * w[1] modulo
// 2^32.
namespace baseline {
extern const TileKernel kFloat32Tile, kInt16Tile;
}

#if defined(__x86_64__)
namespace avx2 {
extern const TileKernel kFloat32Tile, kInt16Tile;
}
namespace avx512 {
extern const TileKernel kFloat32Tile, kInt16Tile;
}
// vpdpbusd: uint8 times int8, modulo 2^32.
namespace avx512_vnni {
extern const TileKernel kUint8Tile;
}
// vdpbf16ps: of each pair of k the odd product first, then the even one, each fused into the
// float32 sum; subnormal operands, and sums, count as zero, whatever MXCSR says.
namespace avx512_bf16 {
extern const TileKernel kBFloat16Tile;
}
#endif

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_KERNELS_TILE_KERNELS_H_
