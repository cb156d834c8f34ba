#ifndef NARROWGAUGE_CHECKPOINT_REGISTRY_H_
#define NARROWGAUGE_CHECKPOINT_REGISTRY_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "narrowgauge/checkpoint.h"
#include "src/checkpoint/file_image.h"

namespace narrowgauge::internal {

// A kind of file that narrowgauge reads.
struct CheckpointFormat {
  std::string_view name;       // What its reader's Format() returns.
  std::string_view extension;  // With the dot. Decides only where no content does.
  bool (*looks_like)(std::span<const std::byte> bytes);
  Result<std::unique_ptr<CheckpointReader>> (*open)(FileImage file,
                                                    const CheckpointOptions& options);
};

// All formats, in the order in which they are tried. To add one, write NAME_reader.{h,cc} and a row
// in registry.cc.
[[nodiscard]] std::span<const CheckpointFormat> CheckpointFormats();

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_CHECKPOINT_REGISTRY_H_
