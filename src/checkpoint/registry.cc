#include "src/checkpoint/registry.h"

#include "src/checkpoint/npy_reader.h"
#include "src/checkpoint/safetensors_reader.h"

namespace narrowgauge::internal {

std::span<const CheckpointFormat> CheckpointFormats() {
  static constexpr CheckpointFormat kFormats[] = {
      {"npy", ".npy", LooksLikeNpy, OpenNpy},
      {"safetensors", ".safetensors", LooksLikeSafetensors, OpenSafetensors},
  };
  return kFormats;
}

}  // namespace narrowgauge::internal
