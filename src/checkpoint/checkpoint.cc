#include "narrowgauge/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "src/base/mapped_file.h"
#include "src/base/nearest_name.h"
#include "src/checkpoint/error_text.h"
#include "src/checkpoint/file_image.h"
#include "src/checkpoint/registry.h"

namespace narrowgauge {
namespace {

using internal::CheckpointFormat;
using internal::FileMessage;
using internal::Quoted;

// How many tensors a message lists.
constexpr std::size_t kMostListed = 10;
constexpr std::size_t kMostNearest = 3;
// How many steps of edit distance a message is worth: a fraction of a second.
constexpr std::size_t kMostDistanceSteps = 30'000'000;

const CheckpointFormat* FormatOf(const internal::FileImage& file) {
  const auto formats = internal::CheckpointFormats();
  for (const CheckpointFormat& format : formats) {
    if (format.looks_like(file.bytes)) return &format;
  }
  // A broken file of a known kind is better served by that kind's reader, which says what is
  // broken.
  for (const CheckpointFormat& format : formats) {
    if (file.path.ends_with(format.extension)) return &format;
  }
  return nullptr;
}

// Returns such as `"a" F32 [2, 3], "b" BF16 [4], and 7 more`, or "no tensors".
std::string ListTensors(std::span<const TensorInfo> tensors, std::span<const std::size_t> indices) {
  if (indices.empty()) return "no tensors";
  std::vector<std::string> parts;
  for (const std::size_t index : indices.first(std::min(kMostListed, indices.size()))) {
    const TensorInfo& tensor = tensors[index];
    parts.push_back(fmt::format("{} {} {}", Quoted(tensor.name), tensor.stored_dtype,
                                internal::ShortShape(tensor.shape)));
  }
  if (indices.size() > kMostListed) {
    parts.push_back(fmt::format("and {} more", indices.size() - kMostListed));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::size_t> AllIndices(std::span<const TensorInfo> tensors) {
  std::vector<std::size_t> indices(tensors.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

bool IsFloatingMatrix(const TensorInfo& tensor) {
  return tensor.shape.size() == 2 && tensor.dtype &&
         GetDTypeInfo(*tensor.dtype).kind == DTypeKind::kFloat;
}

// Returns the names worth offering in place of `wanted`, quoted.
std::string NearestTensors(std::span<const TensorInfo> tensors, std::string_view wanted) {
  std::vector<std::string_view> names;
  std::size_t steps = 0;
  for (const TensorInfo& tensor : tensors) {
    steps += wanted.size() * tensor.name.size() + 1;
    if (steps > kMostDistanceSteps) break;
    names.push_back(tensor.name);
  }
  std::vector<std::string> nearest;
  for (const std::string_view name : internal::NearestNames(wanted, names, kMostNearest)) {
    nearest.push_back(Quoted(name));
  }
  return fmt::format("{}", fmt::join(nearest, ", "));
}

Result<std::size_t> FindOnlyMatrix(const CheckpointReader& reader) {
  const std::span<const TensorInfo> tensors = reader.Tensors();
  const std::vector<std::size_t> all = AllIndices(tensors);
  std::vector<std::size_t> candidates;
  std::copy_if(all.begin(), all.end(), std::back_inserter(candidates),
               [&](std::size_t index) { return IsFloatingMatrix(tensors[index]); });
  if (candidates.size() == 1) return candidates[0];
  if (!candidates.empty()) {
    return MakeError(
        StatusCode::kInvalidArgument,
        FileMessage("which tensor is not said", "FILE:TENSOR with the name of one matrix",
                    ListTensors(tensors, candidates), reader.Path()));
  }
  if (tensors.size() == 1 && tensors[0].shape.size() == 2 && !tensors[0].dtype) {
    return MakeError(StatusCode::kFailedPrecondition,
                     internal::UnreadableDType(tensors[0], reader.Path()));
  }
  return MakeError(StatusCode::kFailedPrecondition,
                   FileMessage("file holds no matrix", "a tensor of rank 2 with a floating dtype",
                               ListTensors(tensors, all), reader.Path()));
}

}  // namespace

std::string_view KAxisName(KAxis axis) { return axis == KAxis::kFirst ? "first" : "last"; }

Result<std::unique_ptr<CheckpointReader>> OpenCheckpoint(const std::string& path,
                                                         const CheckpointOptions& options) {
  Result<internal::MappedFile> mapping = internal::MappedFile::Open(path);
  if (!mapping) return tl::unexpected<Error>(std::move(mapping.error()));
  internal::FileImage file{path, mapping->Bytes(), *std::move(mapping)};
  if (const CheckpointFormat* format = FormatOf(file))
    return format->open(std::move(file), options);

  std::vector<std::string_view> extensions;
  for (const CheckpointFormat& format : internal::CheckpointFormats())
    extensions.push_back(format.extension);
  return MakeError(StatusCode::kUnimplemented,
                   fmt::format("file is of no kind that narrowgauge reads; expected a {} file: {}",
                               fmt::join(extensions, " or "), Quoted(path)));
}

Result<std::size_t> FindMatrix(const CheckpointReader& reader, std::string_view name) {
  if (name.empty()) return FindOnlyMatrix(reader);
  const std::span<const TensorInfo> tensors = reader.Tensors();
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [name](const TensorInfo& tensor) { return tensor.name == name; });
  if (found != tensors.end()) return static_cast<std::size_t>(found - tensors.begin());

  if (tensors.size() == 1 && tensors[0].name.empty()) {
    return MakeError(StatusCode::kNotFound,
                     FileMessage("the array in this file has no name", "the file alone",
                                 Quoted(name), reader.Path()));
  }
  const std::string nearest = NearestTensors(tensors, name);
  return MakeError(
      StatusCode::kNotFound,
      FileMessage("no tensor has this name",
                  nearest.empty()
                      ? fmt::format("one of {}", ListTensors(tensors, AllIndices(tensors)))
                      : fmt::format("one of its tensors (nearest: {})", nearest),
                  Quoted(name), reader.Path()));
}

}  // namespace narrowgauge
