#include "src/numerics/widen.h"

#include <bit>
#include <cstring>
#include <vector>

#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

// The float32 value of every code of a format of at most 16 bits, by the reference codec.
const std::vector<float>& ValuesOf(DType dtype) {
  static const auto tables = [] {
    std::vector<std::vector<float>> result(AllDTypes().size());
    for (const DType row : AllDTypes()) {
      const DTypeInfo& info = GetDTypeInfo(row);
      if (info.total_bits > 16) continue;
      std::vector<float>& values = result[static_cast<std::size_t>(row)];
      values.resize(std::size_t{1} << info.total_bits);
      for (std::size_t code = 0; code < values.size(); ++code) {
        values[code] = DecodeFloat32(info, code);
      }
    }
    return result;
  }();
  return tables[static_cast<std::size_t>(dtype)];
}

// Widens elements of whole bytes by value_of(code).
template <typename Code, typename ValueOf>
void WidenBytes(const std::byte* codes, std::int64_t first, std::int64_t count, float* out,
                ValueOf value_of) {
  for (std::int64_t i = 0; i < count; ++i) {
    Code code;
    std::memcpy(&code, codes + static_cast<std::size_t>(first + i) * sizeof code, sizeof code);
    out[i] = value_of(code);
  }
}

// Widens elements of less than a byte, which may lie across two.
void WidenBits(int bits, const std::vector<float>& values, const std::byte* codes,
               std::int64_t first, std::int64_t count, float* out) {
  const unsigned mask = (1U << bits) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element = static_cast<std::size_t>(first + i);
    // Not element * bits, which could overflow: eight elements fill `bits` whole bytes.
    const std::size_t bit = element % 8 * static_cast<std::size_t>(bits);
    const std::byte* const byte = codes + element / 8 * static_cast<std::size_t>(bits) + bit / 8;
    auto code = std::to_integer<unsigned>(*byte) >> (bit % 8);
    if (bit % 8 + static_cast<std::size_t>(bits) > 8) {
      code |= std::to_integer<unsigned>(byte[1]) << (8 - bit % 8);
    }
    out[i] = values[code & mask];
  }
}

}  // namespace

void WidenToFloat32(DType dtype, const std::byte* codes, std::int64_t first, std::int64_t count,
                    float* out) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const int bits = StorageBits(info);
  const std::vector<float>& values = ValuesOf(dtype);
  if (bits < 8) return WidenBits(bits, values, codes, first, count, out);
  switch (bits) {
    case 8:
      return WidenBytes<std::uint8_t>(codes, first, count, out,
                                      [&](std::uint8_t code) { return values[code]; });
    case 16:
      return WidenBytes<std::uint16_t>(codes, first, count, out,
                                       [&](std::uint16_t code) { return values[code]; });
    case 32: {  // Shorter formats are in the upper bits.
      const std::uint32_t used = ~std::uint32_t{0} << (32 - info.total_bits);
      NG_CHECK(info.exponent_bits == 8 && info.special_values == SpecialValues::kIeee);
      return WidenBytes<std::uint32_t>(codes, first, count, out, [used](std::uint32_t code) {
        return std::bit_cast<float>(code & used);
      });
    }
    default:
      NG_CHECK(dtype == DType::kFloat64);
      return WidenBytes<double>(codes, first, count, out,
                                [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace narrowgauge::internal
