#ifndef NARROWGAUGE_CHECKPOINT_H_
#define NARROWGAUGE_CHECKPOINT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "narrowgauge/dtype.h"
#include "narrowgauge/status.h"
#include "narrowgauge/tensor.h"

namespace narrowgauge {

// Which axis of a stored matrix is K, the contraction axis of y[M,N] = x[M,K] * w[K,N].
enum class KAxis : std::uint8_t { kFirst, kLast };

// Returns "first" or "last".
[[nodiscard]] std::string_view KAxisName(KAxis axis);

// One tensor of a file, as its header describes it. Offsets and sizes have been checked against the
// file; nothing here is a claim any more.
struct TensorInfo {
  std::string name;            // "" in files that hold one unnamed array (npy).
  std::string stored_dtype;    // The file's own word, such as "BF16" or "<f4".
  std::optional<DType> dtype;  // Empty where narrowgauge has no such format.
  Shape shape;
  std::uint64_t offset_bytes = 0;  // From the start of the file.
  std::uint64_t size_bytes = 0;
};

// How to read what a file does not say itself.
struct CheckpointOptions {
  // What the elements of a .npy file of void dtype (|V2) are; NumPy writes ml_dtypes' bfloat16 so.
  std::optional<DType> npy_dtype;
};

// An open file of tensors, memory-mapped. Views stay valid as long as the reader lives.
class CheckpointReader {
 public:
  virtual ~CheckpointReader() = default;

  // Returns "safetensors" or "npy".
  [[nodiscard]] virtual std::string_view Format() const = 0;
  [[nodiscard]] virtual const std::string& Path() const = 0;
  // In the order of their offsets.
  [[nodiscard]] virtual std::span<const TensorInfo> Tensors() const = 0;
  // The axis that is K in files of this format unless the user says otherwise.
  [[nodiscard]] virtual KAxis DefaultKAxis() const = 0;
  // The elements of tensor `index` of Tensors() in row-major, little-endian order: the mapped bytes
  // themselves where the file stores them so, else a converted copy that the reader keeps.
  // kUnimplemented if its dtype is empty.
  [[nodiscard]] virtual Result<TensorView> View(std::size_t index) = 0;
};

// Opens a file, chosen by its content. Every check that the format allows is made here, before
// anything is allocated from a claimed size. Errors name the file, the tensor or field, the byte
// offset where that helps, what was wrong and what is accepted:
//   kNotFound / kPermissionDenied  the file cannot be opened
//   kInvalidArgument               `npy_dtype` is given for a file that says its dtype itself
//   kFailedPrecondition            not a regular file; `npy_dtype` of another size than the
//   elements kDataLoss                      the file is malformed or truncated kUnimplemented a
//   sound file of a kind that narrowgauge does not read
[[nodiscard]] Result<std::unique_ptr<CheckpointReader>> OpenCheckpoint(
    const std::string& path, const CheckpointOptions& options = {});

// Returns the index of tensor `name` in reader.Tensors(); kNotFound names the file and the nearest
// names. With an empty name the file's only floating tensor of rank 2; kInvalidArgument lists the
// candidates if there are several, kFailedPrecondition if there is none.
[[nodiscard]] Result<std::size_t> FindMatrix(const CheckpointReader& reader, std::string_view name);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_CHECKPOINT_H_
