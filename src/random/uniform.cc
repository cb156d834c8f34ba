#include "src/random/uniform.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "narrowgauge/random.h"
#include "src/random/profile_arithmetic.h"

namespace narrowgauge {

void Uniform(PrngKey key, ThreefryLayout layout, const NumericsProfile& profile, float minval,
             float maxval, std::span<float> out) {
  const auto flush = [&](float value) {
    return internal::FlushSubnormal(profile.subnormals, value);
  };
  const float low = flush(minval);
  const float range = flush(flush(maxval) - low);
  std::vector<std::uint32_t> bits(out.size());
  RandomBits32(key, layout, bits);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float unit = internal::UnitFromBits(bits[i]);
    const float value = flush(internal::MultiplyThenAdd(profile.multiply_add, unit, range, low));
    // The sum can round to less than `low`. Of two zeros, the sum's is the result.
    out[i] = std::max(value, low);
  }
}

}  // namespace narrowgauge
