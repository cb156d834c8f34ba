#ifndef NARROWGAUGE_CHECKPOINT_NPY_READER_H_
#define NARROWGAUGE_CHECKPOINT_NPY_READER_H_

#include <cstddef>
#include <memory>
#include <span>

#include "narrowgauge/checkpoint.h"
#include "src/checkpoint/file_image.h"

namespace narrowgauge::internal {

// Whether the bytes begin with npy's magic.
[[nodiscard]] bool LooksLikeNpy(std::span<const std::byte> bytes);

// Opens a .npy file of one array: what ParseNpyHeader accepts, followed by exactly its elements.
// `npy_dtype` names elements of void dtype: kInvalidArgument for a file that says its dtype,
// kFailedPrecondition if the sizes differ. Other errors as OpenCheckpoint. Arrays in Fortran order
// or big-endian are converted when first viewed; views of others are the bytes of `file`.
[[nodiscard]] Result<std::unique_ptr<CheckpointReader>> OpenNpy(FileImage file,
                                                                const CheckpointOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_NPY_READER_H_
