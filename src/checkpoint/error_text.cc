#include "src/checkpoint/error_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace narrowgauge::internal {
namespace {

// Whether a file's word for a dtype is npy's for elements that it does not explain, such as "<V2".
bool IsVoid(std::string_view stored_dtype) {
  return stored_dtype.size() > 2 &&
         std::string_view("<>|=").find(stored_dtype[0]) != std::string_view::npos &&
         stored_dtype[1] == 'V';
}

}  // namespace

std::string Quoted(std::string_view text) {
  if (text.size() <= kLongestQuoted) return fmt::format("{:?}", text);
  return fmt::format("{:?}... ({} bytes)", text.substr(0, kLongestQuoted), text.size());
}

std::string ShortShape(const Shape& shape) {
  constexpr std::size_t kLongestRank = 16;
  return shape.size() <= kLongestRank ? FormatShape(shape) : fmt::format("[rank {}]", shape.size());
}

std::string FileMessage(std::string_view wrong, std::string_view accepted, std::string_view where,
                        std::string_view path) {
  return fmt::format("{}; expected {}: {} in {}", wrong, accepted, where, Quoted(path));
}

tl::unexpected<Error> MalformedFile(std::string_view wrong, std::string_view accepted,
                                    std::string_view where, std::string_view path) {
  return MakeError(StatusCode::kDataLoss, FileMessage(wrong, accepted, where, path));
}

std::string UnreadableDType(const TensorInfo& tensor, std::string_view path) {
  std::vector<std::string_view> names;
  for (const DType dtype : AllDTypes()) names.push_back(DTypeName(dtype));
  if (IsVoid(tensor.stored_dtype)) {
    return FileMessage(
        "the file does not say what its elements are",
        fmt::format("--npy-dtype with one of {} that has their size", fmt::join(names, ", ")),
        Quoted(tensor.stored_dtype), path);
  }
  return FileMessage(
      "narrowgauge cannot read the elements of this dtype",
      fmt::format("one of {}", fmt::join(names, ", ")),
      tensor.name.empty()
          ? Quoted(tensor.stored_dtype)
          : fmt::format("{} of tensor {}", Quoted(tensor.stored_dtype), Quoted(tensor.name)),
      path);
}

}  // namespace narrowgauge::internal
