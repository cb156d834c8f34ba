#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "narrowgauge/dot_algorithm.h"
#include "narrowgauge/precision_policy.h"
#include "src/base/check.h"

namespace {

using namespace narrowgauge;

// A policy that is accepted is its text and back, has words, and takes bytes or too many.
void TryPolicy(std::string_view text) {
  const auto policy = ParsePolicy(text);
  if (!policy) {
    NG_CHECK(policy.error().code == StatusCode::kInvalidArgument);
    NG_CHECK(!policy.error().message.empty());
    return;
  }
  const std::string canonical = FormatPolicy(*policy);
  const auto again = ParsePolicy(canonical);
  NG_CHECK(again.has_value() && *again == *policy && FormatPolicy(*again) == canonical);
  NG_CHECK(!ExplainPolicy(*policy).empty());
  const auto model = ModelOf(*policy);
  NG_CHECK(model.has_value() || !model.error().message.empty());
  constexpr std::int64_t kSizes[] = {0, 1, 33, std::numeric_limits<std::int64_t>::max()};
  for (const std::int64_t depth : kSizes) {
    for (const std::int64_t columns : kSizes) {
      const auto bytes = CountStoredBytes(policy->weights, depth, columns);
      NG_CHECK(bytes ? bytes->codes >= 0 && bytes->scales >= 0 && bytes->padding >= 0
                     : bytes.error().code == StatusCode::kOutOfRange);
    }
  }
}

// A dot algorithm that is accepted is a policy that some engine computes and that has its name.
void TryDotAlgorithm(std::string_view text) {
  const auto named = FollowDotAlgorithm(text);
  if (!named) {
    NG_CHECK(named.error().code == StatusCode::kInvalidArgument);
    NG_CHECK(!named.error().message.empty());
    return;
  }
  NG_CHECK(ModelOf(named->policy).has_value());
  const auto names = DotAlgorithmsOf(named->policy);
  NG_CHECK(std::find(names.begin(), names.end(), named->name) != names.end());
}

}  // namespace

// Whatever is refused says why.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  TryPolicy(text);
  TryDotAlgorithm(text);
  return 0;
}
