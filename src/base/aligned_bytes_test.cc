#include "src/base/aligned_bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

namespace narrowgauge::internal {
namespace {

TEST(AlignedBytesTest, AreAlignedAndAllThere) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{64}, kHugePage - 1,
                                 kHugePage, 2 * kHugePage + 1}) {
    const AlignedBytes bytes(size);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.Data());
    EXPECT_EQ(address % (size < kHugePage ? 64 : kHugePage), 0U) << size;
    std::memset(bytes.Data(), 1, size);  // Address sanitizer knows where they end.
  }
}

TEST(AlignedBytesTest, SizesThatNoMemoryHasAreRefused) {
#if defined(NG_SANITIZED)
  GTEST_SKIP() << "the address sanitizer ends the program where others get no memory";
#endif
  for (const std::size_t size :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2}) {
    EXPECT_THROW(AlignedBytes{size}, std::bad_alloc) << size;
  }
}

}  // namespace
}  // namespace narrowgauge::internal
