#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "narrowgauge/precision_policy.h"
#include "src/base/check.h"

// Whatever is accepted is its text and back, has words, and takes bytes or too many; whatever is
// refused says why.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace narrowgauge;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policy = ParsePolicy(text);
  if (!policy) {
    NG_CHECK(policy.error().code == StatusCode::kInvalidArgument);
    NG_CHECK(!policy.error().message.empty());
    return 0;
  }
  const std::string canonical = FormatPolicy(*policy);
  const auto again = ParsePolicy(canonical);
  NG_CHECK(again.has_value() && *again == *policy && FormatPolicy(*again) == canonical);
  NG_CHECK(!ExplainPolicy(*policy).empty());
  constexpr std::int64_t kSizes[] = {0, 1, 33, std::numeric_limits<std::int64_t>::max()};
  for (const std::int64_t depth : kSizes) {
    for (const std::int64_t columns : kSizes) {
      const auto bytes = CountStoredBytes(policy->weights, depth, columns);
      NG_CHECK(bytes ? bytes->codes >= 0 && bytes->scales >= 0 && bytes->padding >= 0
                     : bytes.error().code == StatusCode::kOutOfRange);
    }
  }
  return 0;
}
