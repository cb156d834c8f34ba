#ifndef NARROWGAUGE_BASE_ALIGNED_BYTES_H_
#define NARROWGAUGE_BASE_ALIGNED_BYTES_H_

#include <cstddef>
#include <memory>

namespace narrowgauge::internal {

// Memory that kernels stream through: aligned to cache lines, and where it is large to huge pages,
// which the system is asked for. Its contents are whatever they were.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  // std::bad_alloc where there is no more memory.
  explicit AlignedBytes(std::size_t size);

  [[nodiscard]] std::byte* Data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> data_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_ALIGNED_BYTES_H_
