#ifndef NARROWGAUGE_CHECKPOINT_SAFETENSORS_READER_H_
#define NARROWGAUGE_CHECKPOINT_SAFETENSORS_READER_H_

#include <cstddef>
#include <memory>
#include <span>

#include "narrowgauge/checkpoint.h"
#include "src/checkpoint/file_image.h"

namespace narrowgauge::internal {

// Whether the bytes begin as a safetensors file does: a header length within the format's limit,
// then an object.
[[nodiscard]] bool LooksLikeSafetensors(std::span<const std::byte> bytes);

// Opens a safetensors file (https://github.com/huggingface/safetensors, "Format") as the reference
// reader, version 0.8, does and as strictly as ParseSafetensorsHeader. The tensors must cover the
// data exactly: no holes, no overlap, nothing before, after or missing. Errors as OpenCheckpoint;
// views are the bytes of `file`.
[[nodiscard]] Result<std::unique_ptr<CheckpointReader>> OpenSafetensors(
    FileImage file, const CheckpointOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_SAFETENSORS_READER_H_
