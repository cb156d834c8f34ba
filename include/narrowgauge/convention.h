#ifndef NARROWGAUGE_CONVENTION_H_
#define NARROWGAUGE_CONVENTION_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"

// How other packages quantise, to the bit. Each differs in what it divides by, how it breaks ties,
// in which type it keeps a scale, what it does to a group of zeros.

namespace narrowgauge {

// What stands behind the claim that our codes are theirs.
enum class Evidence : std::uint8_t {
  kRun,            // The package was run; its recorded answers are reproduced.
  kSource,         // Read in its source.
  kDocumentation,  // The vendor's documentation only.
};

// One quantisation scheme of one package.
struct Convention {
  std::string_view ecosystem;  // "qwix", "aqt", "torchao", "ggml", ...
  std::string_view scheme;     // "int8", "int4-minmax", ...; unique within the ecosystem.
  bool is_default = false;     // What the ecosystem's name alone means; one per ecosystem.
  std::string_view package;    // With its version: "qwix 0.1.8".
  std::string_view source;     // Where the arithmetic is defined: file and function.
  Evidence evidence = Evidence::kRun;
  std::string_view spec;   // The scheme as its package uses it by default, as text for ParseSpec.
  std::string_view words;  // The arithmetic in words, a sentence or more.
};

// All schemes, those of an ecosystem together, its default first.
[[nodiscard]] std::span<const Convention> AllConventions();

// Finds "NAME/SCHEME" or "NAME". kInvalidArgument names the accepted words and the nearest one.
[[nodiscard]] Result<const Convention*> FindConvention(std::string_view text);

// Returns the text of a row: "qwix/int8".
[[nodiscard]] std::string ConventionName(const Convention& convention);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_CONVENTION_H_
