#include "src/checkpoint/npy_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/checkpoint/error_text.h"
#include "src/checkpoint/npy_header.h"

namespace narrowgauge::internal {
namespace {

// Returns the format that NumPy calls by the same name: "float", "int" or "uint" and the size in
// bits.
std::optional<DType> DTypeOfElement(const NpyElement& element) {
  std::string_view word;
  if (element.kind == 'f') word = "float";
  if (element.kind == 'i') word = "int";
  if (element.kind == 'u') word = "uint";
  const std::string name = fmt::format("{}{}", word, 8 * element.size_bytes);
  for (const DType dtype : AllDTypes()) {
    if (DTypeName(dtype) == name) return dtype;
  }
  return std::nullopt;
}

// Returns what the elements are by the file's word or, for void elements, by the user's.
Result<std::optional<DType>> ChooseDType(const NpyHeader& header, const CheckpointOptions& options,
                                         std::string_view path) {
  if (!options.npy_dtype) return DTypeOfElement(header.element);
  const DTypeInfo& info = GetDTypeInfo(*options.npy_dtype);
  const std::string where = fmt::format("{} for {}", info.name, Quoted(header.descr));
  if (header.element.kind != 'V') {
    return MakeError(StatusCode::kInvalidArgument,
                     FileMessage("--npy-dtype applies to void elements only",
                                 "no dtype, since the file says it", where, path));
  }
  const auto element_bits = CheckedMultiply<std::uint64_t>(header.element.size_bytes, 8);
  if (element_bits != static_cast<std::uint64_t>(StorageBits(info))) {
    return MakeError(
        StatusCode::kFailedPrecondition,
        FileMessage("--npy-dtype has another size than the elements",
                    fmt::format("a dtype of {} bytes an element", header.element.size_bytes), where,
                    path));
  }
  return options.npy_dtype;
}

// Checks that the file ends with the last element, and returns the size of all.
Result<std::uint64_t> CheckSize(const NpyHeader& header, std::uint64_t file_bytes,
                                std::string_view path) {
  const std::uint64_t data_bytes = file_bytes - header.data_start;
  const Result<std::int64_t> elements = NumElements(header.shape);
  std::optional<std::uint64_t> needed;
  if (elements)
    needed = CheckedMultiply(static_cast<std::uint64_t>(*elements), header.element.size_bytes);
  if (!needed) {
    return MalformedFile("shape is too large", "a size in bytes below 2^64",
                         ShortShape(header.shape), path);
  }
  if (data_bytes != *needed) {
    return MalformedFile(
        data_bytes < *needed ? "data is truncated" : "bytes follow the data",
        fmt::format("{} bytes for {} {}", *needed, header.descr, ShortShape(header.shape)),
        fmt::format("{} bytes from byte {} on", data_bytes, header.data_start), path);
  }
  return *needed;
}

// Returns stored elements in row-major order and little-endian.
std::vector<std::byte> Converted(std::span<const std::byte> stored, const NpyHeader& header) {
  std::vector<std::byte> converted(stored.size());
  if (stored.empty()) return converted;
  // How far the next element along each axis is in the file. The product of the sizes is known to
  // fit.
  const std::size_t rank = header.shape.size();
  std::vector<std::size_t> strides(rank);
  std::size_t stride = header.element.size_bytes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = header.order == NpyOrder::kFortran ? i : rank - 1 - i;
    strides[axis] = stride;
    stride *= static_cast<std::size_t>(header.shape[axis]);
  }
  std::vector<std::int64_t> index(rank, 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < stored.size(); to += header.element.size_bytes) {
    const auto element = stored.subspan(from, header.element.size_bytes);
    const auto target = converted.begin() + static_cast<std::ptrdiff_t>(to);
    if (header.element.byte_order == std::endian::big) {
      std::reverse_copy(element.begin(), element.end(), target);
    } else {
      std::copy(element.begin(), element.end(), target);
    }
    for (std::size_t axis = rank; axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < header.shape[axis]) break;
      from -= strides[axis] * static_cast<std::size_t>(header.shape[axis]);
      index[axis] = 0;
    }
  }
  return converted;
}

class NpyReader final : public CheckpointReader {
 public:
  NpyReader(FileImage file, NpyHeader header, TensorInfo tensor)
      : file_(std::move(file)), header_(std::move(header)), tensor_(std::move(tensor)) {}

  [[nodiscard]] std::string_view Format() const override { return "npy"; }
  [[nodiscard]] const std::string& Path() const override { return file_.path; }
  [[nodiscard]] std::span<const TensorInfo> Tensors() const override { return {&tensor_, 1}; }
  // Arrays of NumPy and JAX are stored [in, out].
  [[nodiscard]] KAxis DefaultKAxis() const override { return KAxis::kFirst; }

  [[nodiscard]] Result<TensorView> View(std::size_t index) override {
    NG_CHECK(index == 0);
    if (!tensor_.dtype)
      return MakeError(StatusCode::kUnimplemented, UnreadableDType(tensor_, file_.path));
    const auto stored = file_.bytes.subspan(tensor_.offset_bytes, tensor_.size_bytes);
    const bool swapped =
        header_.element.byte_order == std::endian::big && header_.element.size_bytes > 1;
    const bool permuted = header_.order == NpyOrder::kFortran && tensor_.shape.size() > 1;
    if (!swapped && !permuted) return TensorView{*tensor_.dtype, tensor_.shape, stored};
    if (!converted_) converted_ = Converted(stored, header_);
    return TensorView{*tensor_.dtype, tensor_.shape, *converted_};
  }

 private:
  FileImage file_;
  NpyHeader header_;
  TensorInfo tensor_;
  std::optional<std::vector<std::byte>> converted_;
};

}  // namespace

bool LooksLikeNpy(std::span<const std::byte> bytes) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
      .starts_with(kNpyMagic);
}

Result<std::unique_ptr<CheckpointReader>> OpenNpy(FileImage file,
                                                  const CheckpointOptions& options) {
  Result<NpyHeader> header = ParseNpyHeader(file.bytes, file.path);
  if (!header) return tl::unexpected<Error>(std::move(header.error()));
  const Result<std::uint64_t> size_bytes = CheckSize(*header, file.bytes.size(), file.path);
  if (!size_bytes) return tl::unexpected<Error>(size_bytes.error());
  const Result<std::optional<DType>> dtype = ChooseDType(*header, options, file.path);
  if (!dtype) return tl::unexpected<Error>(dtype.error());
  TensorInfo tensor{"", header->descr, *dtype, header->shape, header->data_start, *size_bytes};
  return std::make_unique<NpyReader>(std::move(file), *std::move(header), std::move(tensor));
}

}  // namespace narrowgauge::internal
