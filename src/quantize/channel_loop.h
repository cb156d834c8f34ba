#ifndef NARROWGAUGE_QUANTIZE_CHANNEL_LOOP_H_
#define NARROWGAUGE_QUANTIZE_CHANNEL_LOOP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "src/base/parallel_for.h"
#include "src/quantize/quantizer.h"

// Loops over the channels of a matrix, on several threads.

namespace narrowgauge::internal {

// Channels that one thread reads at a time.
inline constexpr std::int64_t kChannelsAtOnce = 16;

// The elements of channels [first, first + count), in place where they lie so.
template <typename T>
const T* ElementsOf(const ChannelSource& source, std::int64_t first, std::int64_t count,
                    std::vector<T>& copied) {
  if constexpr (std::is_same_v<T, float>) {
    if (const float* const in_place = source.InPlace(first)) return in_place;
  }
  copied.resize(static_cast<std::size_t>(count * source.Depth()));
  source.Read(first, count, copied.data());
  return copied.data();
}

// Calls visit(first, count, elements of `count` channels from `first` on), on several threads.
template <typename T, typename Visit>
void ForEachPart(const ChannelSource& source, int threads, const Visit& visit) {
  const std::int64_t parts = (source.Channels() + kChannelsAtOnce - 1) / kChannelsAtOnce;
  ParallelFor(parts, threads, [&](std::int64_t part) {
    const std::int64_t first = part * kChannelsAtOnce;
    const std::int64_t count = std::min(kChannelsAtOnce, source.Channels() - first);
    std::vector<T> copied;
    visit(first, count, ElementsOf(source, first, count, copied));
  });
}

// Calls visit(n, elements of channel n), on several threads.
template <typename T, typename Visit>
void ForEachChannel(const ChannelSource& source, int threads, const Visit& visit) {
  const std::int64_t depth = source.Depth();
  ForEachPart<T>(source, threads, [&](std::int64_t first, std::int64_t count, const T* elements) {
    for (std::int64_t i = 0; i < count; ++i) {
      visit(first + i, std::span<const T>(elements + i * depth, static_cast<std::size_t>(depth)));
    }
  });
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CHANNEL_LOOP_H_
