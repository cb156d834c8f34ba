#ifndef NARROWGAUGE_RANDOM_H_
#define NARROWGAUGE_RANDOM_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/numerics_profile.h"

// JAX's random numbers: Threefry-2x32 keys, bits, uniform and normal values, bit for bit.
//
// Sources: Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011) for Threefry;
// jax.random for the layout of counters; Giles, "Approximating the erfinv function" (2012).
// All functions are total; results depend on neither threads nor instruction set.

namespace narrowgauge {

// Two 32-bit words, as jax.random.PRNGKey shows them.
struct PrngKey {
  std::array<std::uint32_t, 2> words{};
  friend bool operator==(const PrngKey&, const PrngKey&) = default;
};

// The two settings of jax_threefry_partitionable. Partitionable is JAX's default since 0.5.0.
enum class ThreefryLayout : std::uint8_t { kPartitionable, kOriginal };

// jax_enable_x64 decides whether the upper half of a seed counts.
enum class SeedWidth : std::uint8_t { k32, k64 };

// PRNGKey(seed): words [0, low 32 bits], or [high, low] with SeedWidth::k64.
[[nodiscard]] PrngKey MakePrngKey(std::int64_t seed, SeedWidth width = SeedWidth::k32);

// split(key, count).
[[nodiscard]] std::vector<PrngKey> Split(PrngKey key, std::int64_t count,
                                         ThreefryLayout layout = ThreefryLayout::kPartitionable);

// fold_in(key, data), the same in both layouts.
[[nodiscard]] PrngKey FoldIn(PrngKey key, std::uint32_t data);

// bits(key, shape) of 8, 16, 32 or 64 bits each: fills `out` as the flattened shape. The original
// layout covers at most 2^32 - 2 words of 32 bits; JAX's behaviour beyond that is not reproduced.
void RandomBits8(PrngKey key, ThreefryLayout layout, std::span<std::uint8_t> out);
void RandomBits16(PrngKey key, ThreefryLayout layout, std::span<std::uint16_t> out);
void RandomBits32(PrngKey key, ThreefryLayout layout, std::span<std::uint32_t> out,
                  InstructionSet isa = InstructionSet::kBaseline);
void RandomBits64(PrngKey key, ThreefryLayout layout, std::span<std::uint64_t> out);

// uniform(key, shape, minval, maxval), float32 in [minval, maxval). A profile without fused
// multiply-add rounds twice where others round once.
void Uniform(PrngKey key, ThreefryLayout layout, const NumericsProfile& profile, float minval,
             float maxval, std::span<float> out);

// normal(key, shape), float32: sqrt(2) * erfinv(u), u uniform on (-1, 1). The result takes 2^23
// values; it is the profile's polynomial to the last bit, up to 91 ulp from the true quantile.
void Normal(PrngKey key, ThreefryLayout layout, const NumericsProfile& profile,
            std::span<float> out, InstructionSet isa = InstructionSet::kBaseline);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_RANDOM_H_
