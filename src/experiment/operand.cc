#include "src/experiment/operand.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "src/base/check.h"
#include "src/base/checked_math.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/widen.h"

namespace narrowgauge::internal {
namespace {

// Elements of a file's row that are read side by side when its rows are not channels.
constexpr std::int64_t kTile = 16;

// Whether elements of this shape and dtype can be measured; `what` names the tensor.
Result<void> CheckMatrix(const std::string& what, std::optional<DType> dtype,
                         std::string_view stored_dtype, const Shape& shape) {
  if (!dtype || GetDTypeInfo(*dtype).kind != DTypeKind::kFloat) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("tensor {} has a dtype that cannot be measured; expected a "
                                 "floating one: {}",
                                 what, stored_dtype));
  }
  if (shape.size() != 2) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("tensor {} is not a matrix; expected two dimensions: shape {}",
                                 what, FormatShape(shape)));
  }
  return {};
}

TensorView ViewOf(const std::vector<float>& values, std::int64_t first, std::int64_t last) {
  return {DType::kFloat32, {first, last}, std::as_bytes(std::span(values))};
}

}  // namespace

Operand::Operand(std::unique_ptr<CheckpointReader> reader, const TensorInfo& info, TensorView view,
                 KAxis k_axis, InstructionSet isa)
    : reader_(std::move(reader)),
      view_(std::move(view)),
      stored_word_(info.stored_dtype),
      tensor_name_(info.name),
      k_axis_(k_axis),
      isa_(isa) {
  NG_CHECK(view_.shape.size() == 2);
  const bool k_first = k_axis == KAxis::kFirst;
  depth_ = view_.shape[k_first ? 0 : 1];
  channels_ = view_.shape[k_first ? 1 : 0];
  k_stride_ = k_first ? view_.shape[1] : 1;
  n_stride_ = k_first ? 1 : view_.shape[1];
}

Operand::Operand(std::vector<float> values, std::int64_t first, std::int64_t last, KAxis k_axis,
                 InstructionSet isa)
    : Operand(nullptr, TensorInfo{.name = "", .stored_dtype = "float32", .dtype = {}, .shape = {}},
              ViewOf(values, first, last), k_axis, isa) {
  owned_ = std::move(values);  // Keeps its memory, which the view refers to.
}

const float* Operand::InPlace(std::int64_t n) const {
  static_assert(std::endian::native == std::endian::little);
  if (view_.dtype != DType::kFloat32 || k_stride_ != 1) return nullptr;
  const std::byte* const bytes = view_.bytes.data() + n * n_stride_ * std::int64_t{sizeof(float)};
  if (std::bit_cast<std::uintptr_t>(bytes) % alignof(float) != 0) return nullptr;
  return reinterpret_cast<const float*>(bytes);
}

void Operand::ReadElements(std::int64_t start, std::int64_t count, float* out) const {
  const DTypeInfo& info = GetDTypeInfo(view_.dtype);
  const int bits = StorageBits(info);
  if (bits == 8 || bits == 16) {
    const auto bytes = view_.bytes.subspan(static_cast<std::size_t>(start * (bits / 8)),
                                           static_cast<std::size_t>(count * (bits / 8)));
    return DecodeBulk(KernelsFor(isa_), info, bytes, {out, static_cast<std::size_t>(count)});
  }
  WidenToFloat32(view_.dtype, view_.bytes.data(), start, count, out);
}

void Operand::ReadElements(std::int64_t start, std::int64_t count, double* out) const {
  if (view_.dtype == DType::kFloat64) {
    std::memcpy(out, view_.bytes.data() + start * std::int64_t{sizeof(double)},
                static_cast<std::size_t>(count) * sizeof(double));
    return;
  }
  std::vector<float> narrow(static_cast<std::size_t>(count));
  ReadElements(start, count, narrow.data());
  std::ranges::copy(narrow, out);
}

template <typename T>
void Operand::ReadAs(std::int64_t first, std::int64_t count, T* out) const {
  if (depth_ == 0 || count == 0) return;
  if (k_stride_ == 1) return ReadElements(first * n_stride_, count * depth_, out);
  // Rows of the file are turned in tiles, so that what is read and what is written stay in the
  // cache.
  std::vector<T> rows(static_cast<std::size_t>(kTile * count));
  for (std::int64_t k = 0; k < depth_; k += kTile) {
    const std::int64_t height = std::min(kTile, depth_ - k);
    for (std::int64_t i = 0; i < height; ++i) {
      ReadElements((k + i) * k_stride_ + first, count, rows.data() + i * count);
    }
    for (std::int64_t n = 0; n < count; ++n) {
      for (std::int64_t i = 0; i < height; ++i) {
        out[n * depth_ + k + i] = rows[static_cast<std::size_t>(i * count + n)];
      }
    }
  }
}

void Operand::Read(std::int64_t first, std::int64_t count, float* out) const {
  ReadAs(first, count, out);
}

void Operand::Read(std::int64_t first, std::int64_t count, double* out) const {
  ReadAs(first, count, out);
}

Result<std::unique_ptr<Operand>> Operand::First(std::int64_t depth) const {
  NG_CHECK(depth >= 0 && depth <= depth_);
  const int bits = StorageBits(GetDTypeInfo(view_.dtype));
  if (bits % 8 != 0) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("elements of less than a byte cannot be cut at any k: {}",
                                 DTypeName(view_.dtype)));
  }
  const TensorInfo info{
      .name = tensor_name_, .stored_dtype = stored_word_, .dtype = view_.dtype, .shape = {}};
  const auto row_bytes = static_cast<std::size_t>(depth) * static_cast<std::size_t>(bits / 8);
  TensorView view{view_.dtype, {channels_, depth}, {}};
  std::vector<std::byte> cut;
  if (k_axis_ == KAxis::kFirst) {
    view.shape = {depth, channels_};
    view.bytes = view_.bytes.first(row_bytes * static_cast<std::size_t>(channels_));
  } else {
    cut.reserve(row_bytes * static_cast<std::size_t>(channels_));
    const std::size_t stride = static_cast<std::size_t>(depth_ * (bits / 8));
    for (std::size_t n = 0; n < static_cast<std::size_t>(channels_); ++n) {
      const auto row = view_.bytes.subspan(n * stride, row_bytes);
      cut.insert(cut.end(), row.begin(), row.end());
    }
    view.bytes = cut;
  }
  auto operand = std::make_unique<Operand>(nullptr, info, std::move(view), k_axis_, isa_);
  operand->cut_ = std::move(cut);  // Keeps its memory, which the view refers to.
  return operand;
}

std::string DescribeSource(const MatrixSource& source, const std::string& tensor) {
  return tensor.empty() ? source.path : fmt::format("{}:{}", source.path, tensor);
}

Result<std::unique_ptr<Operand>> OpenOperand(const MatrixSource& source,
                                             const CheckpointOptions& options,
                                             std::optional<KAxis> k_axis, InstructionSet isa) {
  auto reader = OpenCheckpoint(source.path, options);
  if (!reader) return tl::unexpected(reader.error());
  const auto index = FindMatrix(**reader, source.tensor);
  if (!index) return tl::unexpected(index.error());
  const TensorInfo& info = (*reader)->Tensors()[*index];
  const auto fits =
      CheckMatrix(DescribeSource(source, info.name), info.dtype, info.stored_dtype, info.shape);
  if (!fits) return tl::unexpected(fits.error());
  auto view = (*reader)->View(*index);
  if (!view) return tl::unexpected(view.error());
  const KAxis axis = k_axis.value_or((*reader)->DefaultKAxis());
  return std::make_unique<Operand>(std::move(*reader), info, std::move(*view), axis, isa);
}

Result<std::unique_ptr<Operand>> OpenOperand(const MatrixView& matrix, InstructionSet isa) {
  const TensorView& tensor = matrix.tensor;
  TensorInfo info;
  info.name = "in memory";
  info.stored_dtype = GetDTypeInfo(tensor.dtype).name;
  info.dtype = tensor.dtype;
  info.shape = tensor.shape;
  const auto fits = CheckMatrix(info.name, info.dtype, info.stored_dtype, info.shape);
  if (!fits) return tl::unexpected(fits.error());
  const auto elements = NumElements(tensor.shape);
  if (!elements) return tl::unexpected(elements.error());
  const auto bits =
      CheckedMultiply(*elements, std::int64_t{StorageBits(GetDTypeInfo(tensor.dtype))});
  const auto held = static_cast<std::int64_t>(tensor.bytes.size());
  if (!bits || DivideUp(*bits, std::int64_t{8}) != held) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("a matrix in memory has not the bytes of its shape; shape {} of "
                                 "{}: {} bytes",
                                 FormatShape(tensor.shape), info.stored_dtype, held));
  }
  return std::make_unique<Operand>(nullptr, info, tensor, matrix.k_axis, isa);
}

}  // namespace narrowgauge::internal
