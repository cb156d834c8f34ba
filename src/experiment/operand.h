#ifndef NARROWGAUGE_EXPERIMENT_OPERAND_H_
#define NARROWGAUGE_EXPERIMENT_OPERAND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "narrowgauge/checkpoint.h"
#include "narrowgauge/experiment.h"
#include "narrowgauge/status.h"
#include "src/quantize/quantizer.h"

// Matrices as a measurement reads them: channel after channel, whichever axis of the file is K.

namespace narrowgauge::internal {

class Operand : public ChannelSource {
 public:
  // A floating matrix of an open file, or of memory that someone else owns if `reader` is null;
  // `k_axis` says which axis of the view is K.
  Operand(std::unique_ptr<CheckpointReader> reader, const TensorInfo& info, TensorView view,
          KAxis k_axis, InstructionSet isa);
  // A float32 matrix in memory, row-major.
  Operand(std::vector<float> values, std::int64_t first, std::int64_t last, KAxis k_axis,
          InstructionSet isa);

  [[nodiscard]] std::int64_t Depth() const override { return depth_; }
  [[nodiscard]] std::int64_t Channels() const override { return channels_; }
  [[nodiscard]] DType StoredDType() const override { return view_.dtype; }
  void Read(std::int64_t first, std::int64_t count, float* out) const override;
  void Read(std::int64_t first, std::int64_t count, double* out) const override;
  [[nodiscard]] const float* InPlace(std::int64_t n) const override;

  // The position in the file of element k of channel n, and of the element n * K + k.
  [[nodiscard]] std::int64_t StorageIndex(std::int64_t n, std::int64_t k) const {
    return n * n_stride_ + k * k_stride_;
  }
  [[nodiscard]] std::int64_t KStride() const { return k_stride_; }

  // The same matrix cut to its first k, which are no more than it has; it must outlive the result.
  // kFailedPrecondition for packed elements that cannot be cut, of a dtype of less than a byte.
  [[nodiscard]] Result<std::unique_ptr<Operand>> First(std::int64_t depth) const;

  [[nodiscard]] KAxis Axis() const { return k_axis_; }
  [[nodiscard]] const std::string& StoredWord() const { return stored_word_; }
  [[nodiscard]] const std::string& TensorName() const { return tensor_name_; }

 private:
  template <typename T>
  void ReadAs(std::int64_t first, std::int64_t count, T* out) const;
  void ReadElements(std::int64_t start, std::int64_t count, float* out) const;
  void ReadElements(std::int64_t start, std::int64_t count, double* out) const;

  std::unique_ptr<CheckpointReader> reader_;
  std::vector<float> owned_;
  std::vector<std::byte> cut_;
  TensorView view_;
  std::string stored_word_;
  std::string tensor_name_;
  KAxis k_axis_;
  InstructionSet isa_;
  std::int64_t depth_ = 0, channels_ = 0;
  std::int64_t k_stride_ = 0, n_stride_ = 0;  // In elements of the view.
};

// Opens a matrix; its channels are the axis that is not K. Without `k_axis`, K is the axis that the
// file's format has. Errors as OpenCheckpoint and FindMatrix; kFailedPrecondition for a tensor that
// is no floating matrix.
[[nodiscard]] Result<std::unique_ptr<Operand>> OpenOperand(const MatrixSource& source,
                                                           const CheckpointOptions& options,
                                                           std::optional<KAxis> k_axis,
                                                           InstructionSet isa);

// The same for a matrix in memory, whose bytes must outlive the operand; kInvalidArgument if there
// are not as many bytes as its shape says.
[[nodiscard]] Result<std::unique_ptr<Operand>> OpenOperand(const MatrixView& matrix,
                                                           InstructionSet isa);

// Returns "path:tensor", as people write it.
[[nodiscard]] std::string DescribeSource(const MatrixSource& source, const std::string& tensor);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_OPERAND_H_
