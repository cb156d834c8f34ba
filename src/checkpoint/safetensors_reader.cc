#include "src/checkpoint/safetensors_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/checkpoint/error_text.h"
#include "src/checkpoint/safetensors_header.h"

namespace narrowgauge::internal {
namespace {

struct StoredDType {
  std::string_view name;
  std::uint64_t bits;  // Of one element.
};

// The format's complete list, in its own order.
constexpr std::array<StoredDType, 22> kStoredDTypes = {{
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
}};

std::optional<DType> DTypeOfFileName(std::string_view name) {
  for (const DType dtype : AllDTypes()) {
    if (GetDTypeInfo(dtype).file_name == name) return dtype;
  }
  return std::nullopt;
}

// Returns how many bytes the tensor's shape and dtype need.
Result<std::uint64_t> SizeBytes(const SafetensorsEntry& entry, std::string_view path) {
  const auto* stored =
      std::find_if(kStoredDTypes.begin(), kStoredDTypes.end(),
                   [&](const StoredDType& row) { return row.name == entry.dtype; });
  if (stored == kStoredDTypes.end()) {
    std::vector<std::string_view> names;
    for (const StoredDType& row : kStoredDTypes) names.push_back(row.name);
    return MalformedFile("unknown dtype", fmt::format("one of {}", fmt::join(names, ", ")),
                         fmt::format("{} of tensor {}", Quoted(entry.dtype), Quoted(entry.name)),
                         path);
  }
  const Result<std::int64_t> elements = NumElements(entry.shape);
  std::optional<std::uint64_t> bits;
  if (elements) bits = CheckedMultiply(static_cast<std::uint64_t>(*elements), stored->bits);
  if (!bits) {
    return MalformedFile(
        "shape is too large", "a size in bits below 2^64",
        fmt::format("{} of tensor {}", ShortShape(entry.shape), Quoted(entry.name)), path);
  }
  if (*bits % 8 != 0) {
    return MalformedFile(
        "tensor ends inside a byte", "elements that fill whole bytes",
        fmt::format("{} of {} bits in tensor {}", *elements, stored->bits, Quoted(entry.name)),
        path);
  }
  return *bits / 8;
}

// Checks one entry by itself; `data_bytes` is the size of what follows the header.
Result<void> CheckEntry(const SafetensorsEntry& entry, std::uint64_t data_bytes,
                        std::string_view path) {
  const Result<std::uint64_t> size_bytes = SizeBytes(entry, path);
  if (!size_bytes) return tl::unexpected<Error>(size_bytes.error());
  const std::string where =
      fmt::format("[{}, {}] of tensor {}", entry.begin, entry.end, Quoted(entry.name));
  if (entry.end < entry.begin) {
    return MalformedFile("data_offsets run backwards", "begin <= end", where, path);
  }
  if (entry.end > data_bytes) {
    return MalformedFile("data_offsets go past the end of the file",
                         fmt::format("at most the {} bytes of data that it holds", data_bytes),
                         where, path);
  }
  if (entry.end - entry.begin != *size_bytes) {
    return MalformedFile(
        "data_offsets do not fit the shape and dtype",
        fmt::format("{} bytes for {} {}", *size_bytes, entry.dtype, ShortShape(entry.shape)), where,
        path);
  }
  return {};
}

// Checks that entries, sorted by offsets, cover the data one after another. Bytes in messages count
// from the start of the file.
Result<void> CheckLayout(std::span<const SafetensorsEntry> entries, std::uint64_t data_start,
                         std::uint64_t data_bytes, std::string_view path) {
  std::uint64_t covered = 0;
  std::string_view previous;
  for (const SafetensorsEntry& entry : entries) {
    if (entry.begin < covered) {
      return MalformedFile(
          "tensors overlap", "each byte in one tensor",
          fmt::format("bytes [{}, {}) of tensors {} and {}", data_start + entry.begin,
                      data_start + covered, Quoted(previous), Quoted(entry.name)),
          path);
    }
    if (entry.begin > covered) {
      return MalformedFile("data holds bytes of no tensor", "tensors without holes between them",
                           fmt::format("bytes [{}, {}) before tensor {}", data_start + covered,
                                       data_start + entry.begin, Quoted(entry.name)),
                           path);
    }
    covered = entry.end;
    previous = entry.name;
  }
  if (covered < data_bytes) {
    return MalformedFile(
        "data holds bytes of no tensor", "the last tensor at the end of the file",
        fmt::format("bytes [{}, {})", data_start + covered, data_start + data_bytes), path);
  }
  return {};
}

class SafetensorsReader final : public CheckpointReader {
 public:
  SafetensorsReader(FileImage file, std::vector<TensorInfo> tensors)
      : file_(std::move(file)), tensors_(std::move(tensors)) {}

  [[nodiscard]] std::string_view Format() const override { return "safetensors"; }
  [[nodiscard]] const std::string& Path() const override { return file_.path; }
  [[nodiscard]] std::span<const TensorInfo> Tensors() const override { return tensors_; }
  // Linear layers are stored [out, in].
  [[nodiscard]] KAxis DefaultKAxis() const override { return KAxis::kLast; }

  [[nodiscard]] Result<TensorView> View(std::size_t index) override {
    NG_CHECK(index < tensors_.size());
    const TensorInfo& tensor = tensors_[index];
    if (!tensor.dtype) {
      return MakeError(StatusCode::kUnimplemented, UnreadableDType(tensor, file_.path));
    }
    return TensorView{*tensor.dtype, tensor.shape,
                      file_.bytes.subspan(tensor.offset_bytes, tensor.size_bytes)};
  }

 private:
  FileImage file_;
  std::vector<TensorInfo> tensors_;
};

}  // namespace

bool LooksLikeSafetensors(std::span<const std::byte> bytes) {
  return bytes.size() > kSafetensorsLengthBytes &&
         SafetensorsHeaderLength(bytes) <= kMaxSafetensorsHeaderBytes &&
         bytes[kSafetensorsLengthBytes] == std::byte{'{'};
}

Result<std::unique_ptr<CheckpointReader>> OpenSafetensors(FileImage file,
                                                          const CheckpointOptions& options) {
  if (options.npy_dtype) {
    return MakeError(
        StatusCode::kInvalidArgument,
        FileMessage("--npy-dtype does not apply to safetensors", "no dtype, since the file says it",
                    DTypeName(*options.npy_dtype), file.path));
  }
  const Result<std::string_view> header = SafetensorsHeaderText(file.bytes, file.path);
  if (!header) return tl::unexpected<Error>(header.error());
  Result<std::vector<SafetensorsEntry>> entries = ParseSafetensorsHeader(*header, file.path);
  if (!entries) return tl::unexpected<Error>(std::move(entries.error()));

  const std::uint64_t data_start = kSafetensorsLengthBytes + header->size();
  const std::uint64_t data_bytes = file.bytes.size() - data_start;
  for (const SafetensorsEntry& entry : *entries) {
    if (Result<void> sound = CheckEntry(entry, data_bytes, file.path); !sound) {
      return tl::unexpected<Error>(std::move(sound.error()));
    }
  }
  std::stable_sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  if (Result<void> sound = CheckLayout(*entries, data_start, data_bytes, file.path); !sound) {
    return tl::unexpected<Error>(std::move(sound.error()));
  }

  std::vector<TensorInfo> tensors;
  tensors.reserve(entries->size());
  for (SafetensorsEntry& entry : *entries) {
    const std::optional<DType> dtype = DTypeOfFileName(entry.dtype);
    tensors.push_back({std::move(entry.name), std::move(entry.dtype), dtype, std::move(entry.shape),
                       data_start + entry.begin, entry.end - entry.begin});
  }
  return std::make_unique<SafetensorsReader>(std::move(file), std::move(tensors));
}

}  // namespace narrowgauge::internal
