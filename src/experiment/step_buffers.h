#ifndef NARROWGAUGE_EXPERIMENT_STEP_BUFFERS_H_
#define NARROWGAUGE_EXPERIMENT_STEP_BUFFERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/trace/recorder.h"

namespace narrowgauge::internal {

// The memory of the tutorial's step: two buffers, one for x and one for what x becomes. It is taken
// from the system once, so that a step pays for none of it, and tells a recorder, in XProf's words,
// when a buffer is taken and given back.
class StepBuffers {
 public:
  using Buffer = std::span<std::uint16_t>;

  explicit StepBuffers(std::size_t elements);

  // Returns a buffer that is not in use. There must be one.
  [[nodiscard]] Buffer Take(Recorder* recorder);
  void GiveBack(Buffer buffer, Recorder* recorder);

 private:
  struct Slot {
    std::vector<std::uint16_t> elements;
    bool in_use = false;
  };

  void Record(Recorder* recorder, std::string_view event, Buffer buffer) const;

  std::array<Slot, 2> slots_;
  std::int64_t bytes_in_use_ = 0;
  std::int64_t peak_bytes_in_use_ = 0;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_STEP_BUFFERS_H_
