#include <cstddef>

#include "narrowgauge/random.h"
#include "src/kernels/kernels.h"
#include "src/random/threefry.h"

namespace narrowgauge {
namespace {

std::uint32_t PartitionableWord(PrngKey key, std::uint64_t index) {
  const internal::ThreefryBlock block = internal::PartitionableBlock(key, index);
  return block[0] ^ block[1];
}

// Fills `out` with parts of words: the low bits of one word each if partitionable, else every part
// of each word, lowest first.
template <typename T>
void FillNarrow(PrngKey key, ThreefryLayout layout, std::span<T> out) {
  if (layout == ThreefryLayout::kPartitionable) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<T>(PartitionableWord(key, i));
    }
    return;
  }
  constexpr std::size_t kParts = sizeof(std::uint32_t) / sizeof(T);
  std::vector<std::uint32_t> words((out.size() + kParts - 1) / kParts);
  internal::FillOriginalWords(key, words);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<T>(words[i / kParts] >> (8 * sizeof(T) * (i % kParts)));
  }
}

}  // namespace

void RandomBits8(PrngKey key, ThreefryLayout layout, std::span<std::uint8_t> out) {
  FillNarrow(key, layout, out);
}

void RandomBits16(PrngKey key, ThreefryLayout layout, std::span<std::uint16_t> out) {
  FillNarrow(key, layout, out);
}

void RandomBits32(PrngKey key, ThreefryLayout layout, std::span<std::uint32_t> out,
                  InstructionSet isa) {
  if (layout == ThreefryLayout::kPartitionable) {
    internal::KernelsFor(isa).threefry_bits(key.words.data(), 0,
                                            static_cast<std::int64_t>(out.size()), out.data());
  } else {
    internal::FillOriginalWords(key, out);
  }
}

void RandomBits64(PrngKey key, ThreefryLayout layout, std::span<std::uint64_t> out) {
  if (layout == ThreefryLayout::kPartitionable) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const internal::ThreefryBlock block = internal::PartitionableBlock(key, i);
      out[i] = std::uint64_t{block[0]} << 32 | block[1];
    }
    return;
  }
  std::vector<std::uint32_t> words(2 * out.size());
  internal::FillOriginalWords(key, words);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = std::uint64_t{words[i]} << 32 | words[out.size() + i];
  }
}

}  // namespace narrowgauge
