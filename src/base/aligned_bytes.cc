#include "src/base/aligned_bytes.h"

#include <cstdlib>
#include <limits>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace narrowgauge::internal {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) {
  const std::size_t alignment = size < kHugePage ? kCacheLine : kHugePage;
  if (size > std::numeric_limits<std::size_t>::max() - alignment) throw std::bad_alloc();
  const std::size_t rounded = (size / alignment + 1) * alignment;  // Never none.
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, rounded)));
  if (data_ == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  if (alignment == kHugePage) madvise(data_.get(), rounded, MADV_HUGEPAGE);  // Refused: as it was.
#endif
}

void AlignedBytes::Free::operator()(std::byte* p) const { std::free(p); }

}  // namespace narrowgauge::internal
