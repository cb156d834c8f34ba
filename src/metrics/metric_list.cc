#include <fmt/format.h>

#include <algorithm>

#include "narrowgauge/error_metrics.h"
#include "src/base/nearest_name.h"

namespace narrowgauge {
namespace {

constexpr std::string_view kAllWord = "all";

Result<void> Append(const Metric& metric, std::vector<const Metric*>& metrics) {
  if (std::find(metrics.begin(), metrics.end(), &metric) != metrics.end()) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("metric given twice; expected each once: \"{}\"", metric.name));
  }
  metrics.push_back(&metric);
  return {};
}

// Appends what one word of the list stands for.
Result<void> AppendWord(std::string_view word, std::vector<const Metric*>& metrics) {
  std::vector<std::string_view> accepted;
  bool known = false;
  for (const Metric& metric : AllMetrics()) {
    accepted.push_back(metric.name);
    if (word != metric.name && word != kAllWord) continue;
    known = true;
    if (auto appended = Append(metric, metrics); !appended) return appended;
  }
  if (known) return {};
  accepted.push_back(kAllWord);
  return MakeError(StatusCode::kInvalidArgument, internal::UnknownName("metric", word, accepted));
}

}  // namespace

Result<std::vector<const Metric*>> ParseMetricList(std::string_view names) {
  std::vector<const Metric*> metrics;
  while (true) {
    const auto comma = names.find(',');
    if (const auto appended = AppendWord(names.substr(0, comma), metrics); !appended) {
      return tl::unexpected(appended.error());
    }
    if (comma == std::string_view::npos) return metrics;
    names.remove_prefix(comma + 1);
  }
}

}  // namespace narrowgauge
