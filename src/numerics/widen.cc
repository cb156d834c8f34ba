#include "src/numerics/widen.h"

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

template <typename Code>
void Widen(const std::vector<float>& values, const std::byte* codes, std::int64_t count,
           float* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    Code code;
    std::memcpy(&code, codes + static_cast<std::size_t>(i) * sizeof code, sizeof code);
    out[i] = values[code];
  }
}

}  // namespace

void WidenToFloat32(DType dtype, const std::byte* codes, std::int64_t count, float* out) {
  switch (GetDTypeInfo(dtype).total_bits) {
    case 8:
      return Widen<std::uint8_t>(ValuesOf(dtype), codes, count, out);
    case 16:
      return Widen<std::uint16_t>(ValuesOf(dtype), codes, count, out);
    default:
      NG_CHECK(dtype == DType::kFloat32);
      if (count > 0) std::memcpy(out, codes, static_cast<std::size_t>(count) * sizeof(float));
  }
}

}  // namespace narrowgauge::internal
