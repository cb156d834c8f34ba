#ifndef NARROWGAUGE_RANDOM_THREEFRY_H_
#define NARROWGAUGE_RANDOM_THREEFRY_H_

#include <array>
#include <cstdint>
#include <span>

#include "narrowgauge/random.h"

namespace narrowgauge::internal {

// Two 32-bit words: a counter before, a block of random bits after.
using ThreefryBlock = std::array<std::uint32_t, 2>;

// Threefry-2x32 with 20 rounds: a bijection of the 2^64 counters for each key.
// Source: Salmon et al. (SC 2011), section 3.3 and table 2; Random123's threefry.h for the key
// parity.
[[nodiscard]] ThreefryBlock Threefry2x32(PrngKey key, ThreefryBlock counter);

// Returns the block of a flat index in the partitionable layout: that of the counter (index's upper
// half, its lower half).
[[nodiscard]] ThreefryBlock PartitionableBlock(PrngKey key, std::uint64_t index);

// Fills `out` with the words of the original layout. With h = ceil(n/2), one block gives the words
// i and h + i, from the counter (i, h + i). Where h + i = n, the counter's second word is 0 and the
// block's is dropped. Counters wrap beyond 2^32.
void FillOriginalWords(PrngKey key, std::span<std::uint32_t> out);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_RANDOM_THREEFRY_H_
