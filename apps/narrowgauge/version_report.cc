#include "version_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/dtype.h"
#include "narrowgauge/instruction_set.h"
#include "narrowgauge/native_kernels.h"
#include "narrowgauge/version.h"

namespace narrowgauge::app {
namespace {

std::string AllInstructionSets() {
  std::vector<std::string_view> names;
  for (const InstructionSet isa : SupportedInstructionSets()) {
    names.push_back(InstructionSetName(isa));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Says which formats a kernel of two operands of one type takes beside it.
std::string ConversionNote(const NativeKernelInfo& kernel) {
  std::vector<std::string_view> names;
  for (const DType dtype : AllDTypes()) {
    if (dtype != kernel.x && TakesOperands(kernel, dtype, dtype)) names.push_back(DTypeName(dtype));
  }
  return fmt::format("{} of {} also takes, converted exactly while packing: {}.", kernel.name,
                     DTypeName(kernel.x), fmt::join(names, ", "));
}

}  // namespace

Result<Report> VersionReport() {
  const Result<InstructionSet> chosen = SelectInstructionSet();
  if (!chosen) return tl::unexpected(chosen.error());
  Report report;
  report.schema = "narrowgauge.version/1";
  report.title = fmt::format("narrowgauge {}", NARROWGAUGE_VERSION);
  report.facts = {{"instruction_sets", AllInstructionSets()},
                  {"isa", std::string(InstructionSetName(*chosen))}};
  ReportTable kernels;
  kernels.key = "kernels";
  kernels.title = "Kernels that multiply matrices";
  kernels.columns = {{"kernel", ""},          {"x", ""},      {"w", ""},      {"sums", ""},
                     {"instruction_set", ""}, {"chosen", ""}, {"promise", ""}};
  for (const NativeKernelInfo& kernel : AllNativeKernels()) {
    if (kernel.isa > SupportedInstructionSets().back()) continue;
    const bool is_chosen = FindNativeKernel(*chosen, kernel.x, kernel.w, kernel.promise) == &kernel;
    const bool is_integer = kernel.promise == NativePromise::kInt32;
    kernels.rows.push_back({std::string(kernel.name), std::string(DTypeName(kernel.x)),
                            std::string(DTypeName(kernel.w)),
                            std::string(is_integer ? "int32" : "float32"),
                            std::string(InstructionSetName(kernel.isa)), is_chosen,
                            std::string(NativePromiseWords(kernel.promise))});
    if (is_chosen && kernel.x == kernel.w) report.notes.push_back(ConversionNote(kernel));
  }
  report.tables.push_back(std::move(kernels));
  return report;
}

}  // namespace narrowgauge::app
