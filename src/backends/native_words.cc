#include "src/backends/native_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "src/base/check.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/widen.h"

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kChunk = 512;  // Elements that are converted at a time.

// Writes the codes of elements [first, first + count), of less than a byte each, a byte to each.
void Unpack(int bits, const std::byte* codes, std::int64_t first, std::int64_t count,
            std::byte* out) {
  const unsigned mask = (1U << bits) - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    // Eight elements fill `bits` whole bytes.
    const auto bit = static_cast<unsigned>((first + i) % 8 * bits);
    const std::byte* const byte = codes + (first + i) / 8 * bits + bit / 8;
    auto code = std::to_integer<unsigned>(*byte) >> (bit % 8);
    if (bit % 8 + static_cast<unsigned>(bits) > 8) {
      code |= std::to_integer<unsigned>(byte[1]) << (8 - bit % 8);
    }
    out[i] = static_cast<std::byte>(code & mask);
  }
}

// out[i] = convert(code of element i) for codes of whole bytes.
template <typename Code, typename Element, typename Convert>
void ConvertCodes(const std::byte* codes, std::int64_t first, std::int64_t count, std::byte* out,
                  Convert convert) {
  codes += first * static_cast<std::int64_t>(sizeof(Code));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    Code code;
    std::memcpy(&code, codes + i * sizeof code, sizeof code);
    const Element element = convert(code);
    std::memcpy(out + i * sizeof element, &element, sizeof element);
  }
}

}  // namespace

std::int64_t ElementBytes(NativeWords words) {
  switch (words) {
    case NativeWords::kFloat32:
      return 4;
    case NativeWords::kBFloat16:
    case NativeWords::kInt16:
      return 2;
    case NativeWords::kInt8:
    case NativeWords::kOffsetInt8:
      return 1;
  }
  NG_CHECK(false);
  return 0;
}

bool AreWordsOfX(NativeWords words, DType dtype) {
  return (words == NativeWords::kFloat32 && dtype == DType::kFloat32) ||
         (words == NativeWords::kBFloat16 && dtype == DType::kBFloat16) ||
         (words == NativeWords::kInt8 && dtype == DType::kUint8);
}

ElementConverter::ElementConverter(const Kernels& kernels, NativeWords words, NativeOperand operand,
                                   DType dtype)
    : kernels_(kernels),
      words_(words),
      operand_(operand),
      dtype_(dtype),
      codec_(MakeCodecConstants(GetDTypeInfo(dtype), OverflowMode::kNative)) {}

void ElementConverter::Convert(const std::byte* codes, std::int64_t first, std::int64_t count,
                               std::int64_t padding, std::byte* out) const {
  if (count > 0) ConvertElements(codes, first, count, out);
  if (padding == 0) return;
  const std::int64_t bytes = ElementBytes(words_);
  std::byte* const rest = out + count * bytes;
  std::memset(rest, 0, static_cast<std::size_t>(padding * bytes));
  // +0 times -0 is -0, the one number that changes no sum.
  const bool is_float = words_ == NativeWords::kFloat32 || words_ == NativeWords::kBFloat16;
  if (!is_float || operand_ == NativeOperand::kX) return;
  for (std::int64_t i = 1; i <= padding; ++i) rest[i * bytes - 1] = std::byte{0x80};
}

void ElementConverter::ConvertElements(const std::byte* codes, std::int64_t first,
                                       std::int64_t count, std::byte* out) const {
  switch (words_) {
    case NativeWords::kFloat32:
      if (dtype_ == DType::kFloat32) break;
      if (dtype_ == DType::kBFloat16) {
        return ConvertCodes<std::uint16_t, std::uint32_t>(
            codes, first, count, out, [](std::uint16_t code) { return std::uint32_t{code} << 16; });
      }
      for (std::int64_t i = 0; i < count; i += std::int64_t{kChunk}) {
        Widen(codes, first + i, std::min(count - i, std::int64_t{kChunk}),
              reinterpret_cast<float*>(out) + i);
      }
      return;
    case NativeWords::kBFloat16:
      if (dtype_ == DType::kBFloat16) break;
      return ConvertValues<std::uint16_t>(codes, first, count, out, [](float value) {
        return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
      });
    case NativeWords::kInt16:
      if (dtype_ == DType::kInt8) {
        return ConvertCodes<std::int8_t, std::int16_t>(
            codes, first, count, out, [](std::int8_t code) { return std::int16_t{code}; });
      }
      if (dtype_ == DType::kUint8) {
        return ConvertCodes<std::uint8_t, std::int16_t>(
            codes, first, count, out, [](std::uint8_t code) { return std::int16_t{code}; });
      }
      return ConvertValues<std::int16_t>(
          codes, first, count, out, [](float value) { return static_cast<std::int16_t>(value); });
    case NativeWords::kInt8:
    case NativeWords::kOffsetInt8: {
      const bool offset = words_ == NativeWords::kOffsetInt8 && operand_ == NativeOperand::kX;
      const unsigned added = offset ? 128 : 0;
      if (dtype_ == DType::kInt8 || dtype_ == DType::kUint8) {
        if (!offset) break;
        return ConvertCodes<std::uint8_t, std::uint8_t>(
            codes, first, count, out,
            [](std::uint8_t code) { return static_cast<std::uint8_t>(code ^ 0x80U); });
      }
      return ConvertValues<std::uint8_t>(codes, first, count, out, [added](float value) {
        return static_cast<std::uint8_t>(static_cast<unsigned>(static_cast<int>(value)) + added);
      });
    }
  }
  const std::int64_t bytes = ElementBytes(words_);  // Codes are elements.
  std::memcpy(out, codes + first * bytes, static_cast<std::size_t>(count * bytes));
}

// By way of values, for every format that has them in float32.
template <typename Element, typename FromFloat>
void ElementConverter::ConvertValues(const std::byte* codes, std::int64_t first, std::int64_t count,
                                     std::byte* out, FromFloat from_float) const {
  std::array<float, kChunk> values;
  for (std::int64_t i = 0; i < count; i += std::int64_t{kChunk}) {
    const std::int64_t part = std::min(count - i, std::int64_t{kChunk});
    Widen(codes, first + i, part, values.data());
    for (std::int64_t j = 0; j < part; ++j) {
      const Element element = from_float(values[static_cast<std::size_t>(j)]);
      std::memcpy(out + (i + j) * std::int64_t{sizeof element}, &element, sizeof element);
    }
  }
}

// The values of at most kChunk elements.
void ElementConverter::Widen(const std::byte* codes, std::int64_t first, std::int64_t count,
                             float* out) const {
  const int bits = StorageBits(GetDTypeInfo(dtype_));
  if (!codec_ || bits > 16) return WidenToFloat32(dtype_, codes, first, count, out);
  if (bits >= 8) return kernels_.decode(codes + first * bits / 8, count, *codec_, out);
  std::array<std::byte, kChunk> unpacked;
  Unpack(bits, codes, first, count, unpacked.data());
  kernels_.decode(unpacked.data(), count, *codec_, out);
}

}  // namespace narrowgauge::internal
