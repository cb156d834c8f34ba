#include "src/quantize/shared_scales.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>

#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"
#include "src/quantize/channel_loop.h"

namespace narrowgauge::internal {
namespace {

void AddFinite(Range& range, double element) {
  if (std::isfinite(element)) range.Add(element);
}

// Finds the largest magnitudes of those runs once more that hold what is not finite.
void KeepFinite(std::span<const float> x, std::int64_t rows, std::vector<float>& absmax) {
  for (std::size_t run = 0; run < absmax.size(); ++run) {
    if (std::isfinite(absmax[run])) continue;
    absmax[run] = 0;
    const std::size_t begin = run * static_cast<std::size_t>(rows);
    const std::size_t end = std::min(x.size(), begin + static_cast<std::size_t>(rows));
    for (std::size_t k = begin; k < end; ++k) {
      if (std::isfinite(x[k])) absmax[run] = std::max(absmax[run], std::abs(x[k]));
    }
  }
}

bool AreFinite(const Kernels& kernels, const std::vector<float>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  float largest = 0;
  kernels.run_absmax(values.data(), count, count, &largest);
  return std::isfinite(largest);
}

// The largest magnitudes of the runs of one channel, of its finite elements.
void FindAbsmax(const GroupLayout& layout, const Kernels& kernels, std::span<const float> x,
                std::vector<float>& found) {
  const std::int64_t whole = layout.depth / layout.rows;
  kernels.run_absmax(x.data(), whole * layout.rows, layout.rows, found.data());
  if (whole < layout.RunsPerChannel()) {
    const std::int64_t rest = layout.depth - whole * layout.rows;
    kernels.run_absmax(x.data() + whole * layout.rows, rest, rest, found.data() + whole);
  }
  if (!AreFinite(kernels, found)) KeepFinite(x, layout.rows, found);
}

// The same of `count` channels that share their scales.
std::vector<float> FindSharedAbsmax(const GroupLayout& layout, const Kernels& kernels,
                                    const float* elements, std::int64_t count) {
  const std::int64_t runs = layout.RunsPerChannel();
  std::vector<float> largest(static_cast<std::size_t>(runs));
  if (layout.rows == 1) {  // Every element is a run: all channels at once.
    kernels.raise_absmax(elements, count, runs, largest.data());
    if (AreFinite(kernels, largest)) return largest;
    std::ranges::fill(largest, 0.0F);
  }
  std::vector<float> found(largest.size());
  for (std::int64_t n = 0; n < count; ++n) {
    FindAbsmax(layout, kernels,
               {elements + n * layout.depth, static_cast<std::size_t>(layout.depth)}, found);
    kernels.raise_absmax(found.data(), 1, runs, largest.data());
  }
  return largest;
}

// Largest magnitudes of finite float32 elements, for symmetric scales: by kernels.
std::vector<Range> RangesFromAbsmax(const GroupLayout& layout, const ChannelSource& source,
                                    const QuantizerOptions& options) {
  const Kernels& kernels = KernelsFor(options.isa);
  std::vector<float> absmax(static_cast<std::size_t>(layout.Count()));
  std::mutex mutex;
  ForEachPart<float>(
      source, options.threads, [&](std::int64_t first, std::int64_t count, const float* elements) {
        for (std::int64_t n = first; n < first + count;) {
          const std::int64_t last =
              std::min(first + count, (n / layout.columns + 1) * layout.columns);
          const std::vector<float> found =
              FindSharedAbsmax(layout, kernels, elements + (n - first) * layout.depth, last - n);
          const std::lock_guard<std::mutex> lock(mutex);  // Maxima do not mind the order.
          kernels.raise_absmax(found.data(), 1, layout.RunsPerChannel(),
                               absmax.data() + layout.GroupOf(n, 0));
          n = last;
        }
      });
  std::vector<Range> ranges(absmax.size());
  for (std::size_t group = 0; group < ranges.size(); ++group) {
    ranges[group].Add(static_cast<double>(absmax[group]));
    ranges[group].Add(-static_cast<double>(absmax[group]));
  }
  return ranges;
}

template <typename T>
std::vector<Range> RangesFromExtremesOf(const GroupLayout& layout, const ChannelSource& source,
                                        const QuantizerOptions& options) {
  std::vector<Range> ranges(static_cast<std::size_t>(layout.Count()));
  std::mutex mutex;
  ForEachChannel<T>(source, options.threads, [&](std::int64_t n, std::span<const T> x) {
    std::vector<Range> found(static_cast<std::size_t>(layout.RunsPerChannel()));
    for (std::size_t k = 0; k < x.size(); ++k) {
      AddFinite(found[k / static_cast<std::size_t>(layout.rows)], static_cast<double>(x[k]));
    }
    const std::lock_guard<std::mutex> lock(mutex);  // Extremes do not mind the order.
    for (std::size_t run = 0; run < found.size(); ++run) {
      ranges[static_cast<std::size_t>(layout.GroupOf(n, static_cast<std::int64_t>(run)))].Merge(
          found[run]);
    }
  });
  return ranges;
}

std::vector<Range> RangesFromExtremes(const GroupRules& rules, const GroupLayout& layout,
                                      const ChannelSource& source,
                                      const QuantizerOptions& options) {
  if (rules.precision == DType::kFloat64)
    return RangesFromExtremesOf<double>(layout, source, options);
  if (rules.spec.zero_point != ZeroPoint::kNone)
    return RangesFromExtremesOf<float>(layout, source, options);
  return RangesFromAbsmax(layout, source, options);
}

// Elements of each group, channel after channel.
std::vector<Range> RangesFromElements(const GroupRules& rules, const GroupLayout& layout,
                                      const ChannelSource& source,
                                      const QuantizerOptions& options) {
  const RangeMethodInfo& method = GetRangeMethod(rules.spec.method);
  std::vector<double> all(static_cast<std::size_t>(layout.depth * layout.channels));
  source.Read(0, layout.channels, all.data());
  std::vector<Range> ranges(static_cast<std::size_t>(layout.Count()));
  const std::int64_t runs = layout.RunsPerChannel();
  ParallelFor(layout.Count(), options.threads, [&](std::int64_t group) {
    const std::int64_t first_channel = group / runs * layout.columns;
    const std::int64_t last_channel = std::min(first_channel + layout.columns, layout.channels);
    const std::int64_t begin = group % runs * layout.rows;
    const std::int64_t end = std::min(begin + layout.rows, layout.depth);
    std::vector<double> elements;
    for (std::int64_t n = first_channel; n < last_channel; ++n) {
      for (std::int64_t k = begin; k < end; ++k) {
        const double element = all[static_cast<std::size_t>(n * layout.depth + k)];
        if (std::isfinite(element)) elements.push_back(element);
      }
    }
    ranges[static_cast<std::size_t>(group)] = method.find(rules, elements);
  });
  return ranges;
}

}  // namespace

std::vector<GroupScale> FindSharedScales(const GroupRules& rules, const GroupLayout& layout,
                                         const ChannelSource& source,
                                         const QuantizerOptions& options) {
  const std::vector<Range> ranges = GetRangeMethod(rules.spec.method).from_extremes
                                        ? RangesFromExtremes(rules, layout, source, options)
                                        : RangesFromElements(rules, layout, source, options);
  std::vector<GroupScale> scales;
  scales.reserve(ranges.size());
  for (const Range& range : ranges) {
    scales.push_back(FindScale(rules.spec, rules.grid, range, rules.tensor_scale));
  }
  return scales;
}

Range FindTensorRange(const ChannelSource& source, const QuantizerOptions& options) {
  const QuantizationSpec whole = MakeSpec(DType::kInt8, {.kind = GranularityKind::kTensor});
  const GroupRules rules(whole, source.Precision());
  const GroupLayout layout = LayOutGroups(whole, source.Depth(), source.Channels());
  Range range;
  for (const Range& part : RangesFromExtremes(rules, layout, source, options)) range.Merge(part);
  return range;
}

}  // namespace narrowgauge::internal
