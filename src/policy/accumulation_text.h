#ifndef NARROWGAUGE_POLICY_ACCUMULATION_TEXT_H_
#define NARROWGAUGE_POLICY_ACCUMULATION_TEXT_H_

#include <string>
#include <string_view>

#include "narrowgauge/precision_policy.h"

namespace narrowgauge::internal {

// Parses what follows acc= (precision_policy.h). All of the grammar is read and checked; what is
// well formed and not supported is refused as such.
[[nodiscard]] Result<AccumulationSpec> ParseAccumulation(std::string_view text);

// Returns the canonical text: "bfloat16/block:128,inner=float32".
[[nodiscard]] std::string FormatAccumulation(const AccumulationSpec& accumulation);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_POLICY_ACCUMULATION_TEXT_H_
