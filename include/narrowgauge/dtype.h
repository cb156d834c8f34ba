#ifndef NARROWGAUGE_DTYPE_H_
#define NARROWGAUGE_DTYPE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "narrowgauge/status.h"

namespace narrowgauge {

// One enumerator per row of dtype_table.inc.
enum class DType : std::uint8_t {
#define NG_DTYPE(enumerator, name) enumerator,
#include "narrowgauge/dtype_table.inc"
#undef NG_DTYPE
};

enum class DTypeKind : std::uint8_t { kFloat, kInteger };

// How a floating format spends its largest exponent.
enum class SpecialValues : std::uint8_t {
  kIeee,             // Infinities, and NaN in the rest of the top exponent (float16, float8_e5m2).
  kNanAllOnes,       // No infinity; NaN is the code of all ones only ("fn": float8_e4m3fn).
  kNanNegativeZero,  // No infinity and no -0; NaN is the sign bit alone ("fnuz").
  kNone,             // Neither infinity nor NaN (float4_e2m1fn).
};

// Everything that is known of a number format. Data only: the codec derives all values from it.
struct DTypeInfo {
  std::string_view name;            // As ml_dtypes spells it.
  std::string_view file_name = {};  // As safetensors spells it, or "" if it has no word for it.
  // Other words for it, "" where there are fewer. A word that two formats share is ambiguous.
  std::array<std::string_view, 4> aliases = {};
  DTypeKind kind = DTypeKind::kFloat;
  bool is_signed = true;
  int total_bits = 0;     // Sign, exponent and stored mantissa together.
  int storage_bits = 0;   // Bits in memory, packed, if not total_bits; see StorageBits.
  int exponent_bits = 0;  // 0 for integers.
  int mantissa_bits = 0;  // Stored bits; the precision is one more. 0 for integers.
  int exponent_bias = 0;
  bool has_zero = true;  // Else exponent 0 is like any other: no zero, no subnormals (E8M0).
  SpecialValues special_values = SpecialValues::kNone;
  // The code that NaN becomes, to which its sign is added where the format has one. Formats without
  // NaN have such a code, too: 0 for integers.
  std::uint64_t canonical_nan = 0;
  std::string_view source = {};  // The standard or paper that defines it.
};

[[nodiscard]] const DTypeInfo& GetDTypeInfo(DType dtype);

// Bits that an element takes in memory, packed: 4 for int4, 32 for tf32.
[[nodiscard]] constexpr int StorageBits(const DTypeInfo& info) {
  return info.storage_bits != 0 ? info.storage_bits : info.total_bits;
}

// All formats in table order.
[[nodiscard]] std::span<const DType> AllDTypes();

// Accepts the name, file name or an alias of a format, in upper or lower case. kInvalidArgument
// names the formats and the nearest word or, for a word that could mean two formats, both.
[[nodiscard]] Result<DType> ParseDType(std::string_view word);

[[nodiscard]] inline std::string_view DTypeName(DType dtype) { return GetDTypeInfo(dtype).name; }

}  // namespace narrowgauge

#endif  // NARROWGAUGE_DTYPE_H_
