#include "src/report/registry.h"

#include "src/base/nearest_name.h"

namespace narrowgauge {

std::span<const ReportFormat> AllReportFormats() {
  static const ReportFormat formats[] = {
      internal::kTableReport,
      internal::kCsvReport,
      internal::kJsonReport,
      internal::kMarkdownReport,
  };
  return formats;
}

Result<ReportFormat> FindReportFormat(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ReportFormat& format : AllReportFormats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
  }
  return MakeError(StatusCode::kInvalidArgument,
                   internal::UnknownName("report format", name, names));
}

}  // namespace narrowgauge
