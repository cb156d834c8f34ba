#include <cstddef>

#include "narrowgauge/random.h"
#include "src/base/check.h"
#include "src/random/threefry.h"

namespace narrowgauge {

PrngKey MakePrngKey(std::int64_t seed, SeedWidth width) {
  const auto bits = static_cast<std::uint64_t>(seed);
  const auto high = static_cast<std::uint32_t>(bits >> 32);
  return {{width == SeedWidth::k64 ? high : 0, static_cast<std::uint32_t>(bits)}};
}

std::vector<PrngKey> Split(PrngKey key, std::int64_t count, ThreefryLayout layout) {
  NG_CHECK(count >= 0);
  std::vector<PrngKey> keys(static_cast<std::size_t>(count));
  if (layout == ThreefryLayout::kPartitionable) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i].words = internal::PartitionableBlock(key, i);
    }
    return keys;
  }
  std::vector<std::uint32_t> words(2 * keys.size());
  internal::FillOriginalWords(key, words);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i].words = {words[2 * i], words[2 * i + 1]};
  return keys;
}

PrngKey FoldIn(PrngKey key, std::uint32_t data) { return {internal::Threefry2x32(key, {0, data})}; }

}  // namespace narrowgauge
