#include "src/random/normal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <vector>

#include "narrowgauge/random.h"
#include "src/kernels/kernels.h"
#include "src/random/log1p.h"
#include "src/random/polynomial.h"
#include "src/random/uniform.h"

namespace narrowgauge {
namespace internal {
namespace {

constexpr Coefficients<9> kErfInvCentre = {0x32F16588, 0x34B84B36, 0xB66C7357,
                                           0xB6935AC1, 0x396532DB, 0xBAA45408,
                                           0xBB88E4EF, 0x3E7C8F63, 0x3FC02E2F};
constexpr Coefficients<9> kErfInvTail = {0xB951F09B, 0x38D3B56B, 0x3AB0DC72, 0xBB70BDE7, 0x3BBC127B,
                                         0xBBF9C5D7, 0x3C1AA57E, 0x3F8036DB, 0x40354F7E};
constexpr float kSqrt2 = std::bit_cast<float>(0x3FB504F3U);
// -1 rounded towards zero, so that u is never -1.
constexpr float kLowest = std::bit_cast<float>(0xBF7FFFFFU);

// Returns erfinv(u) for |u| < 1. Subnormals need no flushing: where u is so small that a product is
// subnormal, the sum it goes into does not change by it.
float ErfInv(float u, const NumericsProfile& profile) {
  const float w = -Log1p(-(u * u), profile.log1p, profile.multiply_add);
  const float polynomial =
      w < 5.0f ? EvaluatePolynomial(kErfInvCentre, w - 2.5f, profile.multiply_add)
               : EvaluatePolynomial(kErfInvTail, std::sqrt(w) - 3.0f, profile.multiply_add);
  return polynomial * u;
}

}  // namespace

float NormalFromBits(std::uint32_t bits, const NumericsProfile& profile) {
  // Doubling is exact, so it does not matter whether this is fused.
  const float u = std::max(UnitFromBits(bits) * 2.0f + kLowest, kLowest);
  return ErfInv(u, profile) * kSqrt2;
}

}  // namespace internal

namespace {

// Writes the normals of `bits`, by a kernel where one has the profile's arithmetic.
void NormalsFromBits(std::span<const std::uint32_t> bits, const NumericsProfile& profile,
                     InstructionSet isa, std::span<float> out) {
  if (profile.log1p == Log1pVariant::kRational && profile.multiply_add == MultiplyAdd::kFused) {
    internal::KernelsFor(isa).normals(bits.data(), static_cast<std::int64_t>(bits.size()),
                                      out.data());
    return;
  }
  for (std::size_t i = 0; i < bits.size(); ++i) {
    out[i] = internal::NormalFromBits(bits[i], profile);
  }
}

}  // namespace

void Normal(PrngKey key, ThreefryLayout layout, const NumericsProfile& profile,
            std::span<float> out, InstructionSet isa) {
  if (layout == ThreefryLayout::kOriginal) {
    std::vector<std::uint32_t> bits(out.size());
    RandomBits32(key, layout, bits, isa);
    NormalsFromBits(bits, profile, isa, out);
    return;
  }
  // Partitionable words need nothing but their index: few at a time, they stay in the cache.
  constexpr std::size_t kChunk = 1024;
  std::array<std::uint32_t, kChunk> bits;
  for (std::size_t start = 0; start < out.size(); start += kChunk) {
    const std::size_t count = std::min(kChunk, out.size() - start);
    internal::KernelsFor(isa).threefry_bits(key.words.data(), start,
                                            static_cast<std::int64_t>(count), bits.data());
    NormalsFromBits(std::span(bits).first(count), profile, isa, out.subspan(start, count));
  }
}

}  // namespace narrowgauge
