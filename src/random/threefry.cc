#include "src/random/threefry.h"

#include <bit>
#include <cstddef>

namespace narrowgauge::internal {
namespace {

constexpr std::uint32_t kKeyParity = 0x1BD11BDA;
constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};

}  // namespace

ThreefryBlock Threefry2x32(PrngKey key, ThreefryBlock counter) {
  const auto [k0, k1] = key.words;
  const std::array<std::uint32_t, 3> schedule = {k0, k1, k0 ^ k1 ^ kKeyParity};
  std::uint32_t x0 = counter[0] + schedule[0];
  std::uint32_t x1 = counter[1] + schedule[1];
  for (std::uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x0 += x1;
      x1 = std::rotl(x1, rotation) ^ x0;
    }
    x0 += schedule[(group + 1) % 3];
    x1 += schedule[(group + 2) % 3] + group + 1;
  }
  return {x0, x1};
}

ThreefryBlock PartitionableBlock(PrngKey key, std::uint64_t index) {
  return Threefry2x32(key,
                      {static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(index)});
}

void FillOriginalWords(PrngKey key, std::span<std::uint32_t> out) {
  const std::size_t half = (out.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const std::size_t j = half + i;
    const bool has_second = j < out.size();
    const ThreefryBlock block =
        Threefry2x32(key, {static_cast<std::uint32_t>(i),
                           has_second ? static_cast<std::uint32_t>(j) : std::uint32_t{0}});
    out[i] = block[0];
    if (has_second) out[j] = block[1];
  }
}

}  // namespace narrowgauge::internal
