#include "src/experiment/step_buffers.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/xplane/names.h"

namespace narrowgauge::internal {
namespace {

std::int64_t SizeBytes(StepBuffers::Buffer buffer) {
  return static_cast<std::int64_t>(buffer.size_bytes());
}

}  // namespace

StepBuffers::StepBuffers(std::size_t elements) {
  for (Slot& slot : slots_) slot.elements.resize(elements);
}

StepBuffers::Buffer StepBuffers::Take(Recorder* recorder) {
  const auto slot =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& s) { return !s.in_use; });
  NG_CHECK(slot != slots_.end());
  slot->in_use = true;
  const Buffer buffer = slot->elements;
  bytes_in_use_ += SizeBytes(buffer);
  peak_bytes_in_use_ = std::max(peak_bytes_in_use_, bytes_in_use_);
  Record(recorder, kMemoryAllocation, buffer);
  return buffer;
}

void StepBuffers::GiveBack(Buffer buffer, Recorder* recorder) {
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
    return s.in_use && s.elements.data() == buffer.data();
  });
  NG_CHECK(slot != slots_.end());
  slot->in_use = false;
  bytes_in_use_ -= SizeBytes(buffer);
  Record(recorder, kMemoryDeallocation, buffer);
}

void StepBuffers::Record(Recorder* recorder, std::string_view event, Buffer buffer) const {
  const std::int64_t capacity = std::ssize(slots_) * SizeBytes(buffer);
  RecordInstant(recorder, event,
                {{kAllocatorName, "step_buffers"},
                 {kBytesAllocated, bytes_in_use_},
                 {kBytesAvailable, capacity - bytes_in_use_},
                 {kPeakBytesInUse, peak_bytes_in_use_},
                 {kRequestedBytes, SizeBytes(buffer)},
                 {kAllocationBytes, SizeBytes(buffer)},
                 {kAddress, std::uint64_t{reinterpret_cast<std::uintptr_t>(buffer.data())}}});
}

}  // namespace narrowgauge::internal
