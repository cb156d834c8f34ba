#ifndef NARROWGAUGE_BENCHMARKS_HUGE_ARRAY_H_
#define NARROWGAUGE_BENCHMARKS_HUGE_ARRAY_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace narrowgauge {

// Memory that a benchmark streams through: in huge pages where the system grants them, all of it
// touched, so that no page is missing while the clock runs.
template <typename T>
class HugeArray {
 public:
  explicit HugeArray(std::size_t count) : count_(count) {
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    data_.reset(static_cast<T*>(std::aligned_alloc(kPage, bytes)));
    if (data_ == nullptr) throw std::bad_alloc();
    madvise(data_.get(), bytes, MADV_HUGEPAGE);
    std::memset(static_cast<void*>(data_.get()), 0, bytes);
  }

  [[nodiscard]] std::span<T> Span() const { return {data_.get(), count_}; }

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };

  std::size_t count_;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BENCHMARKS_HUGE_ARRAY_H_
