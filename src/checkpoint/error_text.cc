#include "src/checkpoint/error_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace narrowgauge::internal {
namespace {

// Returns the size of an element that npy does not explain, such as 2 of "<V2", or 0 of other
// words.
std::uint64_t VoidBytes(std::string_view stored_dtype) {
  constexpr std::size_t kPrefix = 2;
  if (stored_dtype.size() <= kPrefix ||
      std::string_view("<>|=").find(stored_dtype[0]) == std::string_view::npos ||
      stored_dtype[1] != 'V') {
    return 0;
  }
  std::uint64_t size = 0;
  std::from_chars(stored_dtype.data() + kPrefix, stored_dtype.data() + stored_dtype.size(), size);
  return size;
}

// Returns the names of the formats whose elements have `bytes` bytes, or of all if it is 0.
std::vector<std::string_view> DTypeNames(std::uint64_t bytes) {
  std::vector<std::string_view> names;
  for (const DType dtype : AllDTypes()) {
    const auto bits = static_cast<std::uint64_t>(StorageBits(GetDTypeInfo(dtype)));
    if (bytes == 0 || (bits % 8 == 0 && bits / 8 == bytes)) names.push_back(DTypeName(dtype));
  }
  return names;
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
  const auto fitting = DTypeNames(VoidBytes(tensor.stored_dtype));
  if (VoidBytes(tensor.stored_dtype) != 0 && !fitting.empty()) {
    return FileMessage("the file does not say what its elements are",
                       fmt::format("--npy-dtype with one of {}", fmt::join(fitting, ", ")),
                       Quoted(tensor.stored_dtype), path);
  }
  return FileMessage(
      "narrowgauge cannot read the elements of this dtype",
      fmt::format("one of {}", fmt::join(DTypeNames(0), ", ")),
      tensor.name.empty()
          ? Quoted(tensor.stored_dtype)
          : fmt::format("{} of tensor {}", Quoted(tensor.stored_dtype), Quoted(tensor.name)),
      path);
}

}  // namespace narrowgauge::internal
