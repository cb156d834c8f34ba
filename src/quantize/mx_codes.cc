#include "src/quantize/mx_codes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "src/base/check.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

constexpr std::int64_t kDecodedAtOnce = 32;
constexpr int kE8M0Bias = 127;

// Scales whose factors and products with any element code are normal numbers.
constexpr int kLeastPlainScale = kE8M0Bias - 100;
constexpr int kGreatestPlainScale = kE8M0Bias + 100;

CodecConstants CodecOf(const ElementGrid& grid) {
  const auto codec = grid.Codec();
  NG_CHECK(codec.has_value());
  return *codec;
}

}  // namespace

MxCodec::MxCodec(const QuantizationSpec& spec, const Kernels& kernels)
    : rules_(spec, DType::kFloat32),
      scales_(spec.rule, rules_.grid),
      codec_(CodecOf(rules_.grid)),
      kernels_(kernels) {
  NG_CHECK(spec.block_format.has_value() &&
           GetBlockFormatInfo(*spec.block_format).family == BlockFamily::kMx &&
           GetBlockFormatInfo(*spec.block_format).block_size == kBlock);
  NG_CHECK(spec.rounding == RoundingMode::kNearestEven && spec.method == RangeMethod::kAbsmax);
}

void MxCodec::Encode(std::span<const float> values, std::span<std::byte> codes,
                     std::span<std::byte> scales) const {
  NG_CHECK(values.size() % kBlock == 0 && codes.size() == values.size() &&
           scales.size() == values.size() / kBlock);
  const auto blocks = static_cast<std::int64_t>(scales.size());
  for (std::int64_t first = 0; first < blocks;) {
    const float* const x = values.data() + first * kBlock;
    first += kernels_.encode_mx(x, blocks - first, scales_.Constants(), codec_,
                                codes.data() + first * kBlock, scales.data() + first);
    const std::int64_t odd = std::min(kMxBlocksAtOnce, blocks - first);
    EncodePlainly(values.data() + first * kBlock, odd, codes.data() + first * kBlock,
                  scales.data() + first);
    first += odd;
  }
}

void MxCodec::Decode(std::span<const std::byte> codes, std::span<const std::byte> scales,
                     std::span<float> values) const {
  NG_CHECK(values.size() % kBlock == 0 && codes.size() == values.size() &&
           scales.size() == values.size() / kBlock);
  const auto blocks = static_cast<std::int64_t>(scales.size());
  std::array<float, kDecodedAtOnce> found;
  for (std::int64_t first = 0; first < blocks; first += kDecodedAtOnce) {
    const std::int64_t count = std::min(kDecodedAtOnce, blocks - first);
    const std::byte* const block_codes = codes.data() + first * kBlock;
    float* const out = values.data() + first * kBlock;
    int least = kGreatestPlainScale;
    int greatest = kLeastPlainScale;
    for (std::int64_t i = 0; i < count; ++i) {
      const int code = std::to_integer<int>(scales[static_cast<std::size_t>(first + i)]);
      least = std::min(least, code);
      greatest = std::max(greatest, code);
      found[static_cast<std::size_t>(i)] =
          std::bit_cast<float>(static_cast<std::uint32_t>(code - scales_.UnitExponent()) << 23);
    }
    if (least < kLeastPlainScale || greatest > kGreatestPlainScale) {
      DecodePlainly(block_codes, scales.data() + first, count, out);
      continue;
    }
    const ScaledRuns runs{
        .length = kBlock, .factors = found.data(), .scales = found.data(), .multiply = true};
    kernels_.decode_scaled(block_codes, count * kBlock, runs, codec_, out);
  }
}

void MxCodec::EncodePlainly(const float* values, std::int64_t blocks, std::byte* codes,
                            std::byte* scales) const {
  const DTypeInfo& info = rules_.grid.Info();
  const DTypeInfo& e8m0 = GetDTypeInfo(DType::kFloat8E8M0Fnu);
  const double unit = std::ldexp(1.0, -scales_.UnitExponent());
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::span x(values + block * kBlock, static_cast<std::size_t>(kBlock));
    Range range;
    for (const float element : x) range.Add(static_cast<double>(element));
    const double scale = FindScale(rules_.spec, rules_.grid, range, 1).scale;
    scales[block] = static_cast<std::byte>(internal::Encode(e8m0, scale));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float quotient = x[i] / static_cast<float>(scale);
      const double value = rules_.grid.Round(static_cast<double>(quotient), 0, 0).value;
      codes[block * kBlock + static_cast<std::int64_t>(i)] =
          static_cast<std::byte>(internal::Encode(info, value / unit));
    }
  }
}

void MxCodec::DecodePlainly(const std::byte* codes, const std::byte* scales, std::int64_t blocks,
                            float* values) const {
  const DTypeInfo& info = rules_.grid.Info();
  const DTypeInfo& e8m0 = GetDTypeInfo(DType::kFloat8E8M0Fnu);
  const double unit = std::ldexp(1.0, -scales_.UnitExponent());
  for (std::int64_t i = 0; i < blocks * kBlock; ++i) {
    const double scale = internal::Decode(e8m0, std::to_integer<std::uint64_t>(scales[i / kBlock]));
    const double value = internal::Decode(info, std::to_integer<std::uint64_t>(codes[i])) * unit;
    values[i] = static_cast<float>(value * scale);
  }
}

}  // namespace narrowgauge::internal
