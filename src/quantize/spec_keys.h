#ifndef NARROWGAUGE_QUANTIZE_SPEC_KEYS_H_
#define NARROWGAUGE_QUANTIZE_SPEC_KEYS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "narrowgauge/quantization.h"

namespace narrowgauge::internal {

// The keys of a spec's text, in the order in which FormatSpec writes them.
enum class SpecKey : std::uint8_t {
  kScale,
  kRange,
  kZero,
  kMethod,
  kRound,
  kOverflow,
  kRule,
  kApply,
  kLike,
};

inline constexpr std::array<SpecKey, 9> kSpecKeys = {
    SpecKey::kScale,    SpecKey::kRange, SpecKey::kZero,  SpecKey::kMethod, SpecKey::kRound,
    SpecKey::kOverflow, SpecKey::kRule,  SpecKey::kApply, SpecKey::kLike};

// The formats that scales are kept in.
inline constexpr std::array<DType, 5> kScaleDTypes = {DType::kFloat32, DType::kBFloat16,
                                                      DType::kFloat16, DType::kFloat8E8M0Fnu,
                                                      DType::kFloat8E4M3Fn};

// Returns the key's word, such as "scale".
[[nodiscard]] std::string_view SpecKeyName(SpecKey key);

// Returns whether two specs agree in what the key says.
[[nodiscard]] bool SameUnderKey(const QuantizationSpec& a, const QuantizationSpec& b, SpecKey key);

// Returns why a key says nothing about a spec of this format, granularity and zero point, or "" if
// it does say something: "zero= has no meaning for floats, which have no zero point: ...".
[[nodiscard]] std::string WhyKeyIsRefused(const QuantizationSpec& spec, SpecKey key);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_SPEC_KEYS_H_
