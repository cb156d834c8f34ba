#include "src/quantize/shared_scales.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <type_traits>

#include "src/base/parallel_for.h"
#include "src/kernels/kernels.h"

namespace narrowgauge::internal {
namespace {

// Channels that one thread reads at a time.
constexpr std::int64_t kChannelsAtOnce = 16;

// Calls visit(n, elements of channel n), on several threads.
template <typename T, typename Visit>
void ForEachChannel(const ChannelSource& source, int threads, const Visit& visit) {
  const std::int64_t depth = source.Depth();
  const std::int64_t chunks = (source.Channels() + kChannelsAtOnce - 1) / kChannelsAtOnce;
  ParallelFor(chunks, threads, [&](std::int64_t chunk) {
    const std::int64_t first = chunk * kChannelsAtOnce;
    const std::int64_t count = std::min(kChannelsAtOnce, source.Channels() - first);
    std::vector<T> elements(static_cast<std::size_t>(count * depth));
    source.Read(first, count, elements.data());
    for (std::int64_t i = 0; i < count; ++i) {
      visit(first + i,
            std::span<const T>(elements.data() + i * depth, static_cast<std::size_t>(depth)));
    }
  });
}

// Whether the extremes of a symmetric float32 scale are enough, which kernels find.
bool IsAbsmaxOfFloat32(const GroupRules& rules) {
  return rules.precision == DType::kFloat32 && rules.spec.zero_point == ZeroPoint::kNone;
}

bool AllFinite(const Kernels& kernels, std::span<const float> elements, float& absmax) {
  const auto count = static_cast<std::int64_t>(elements.size());
  absmax = 0;
  if (count > 0) kernels.run_absmax(elements.data(), count, count, &absmax);
  return std::isfinite(absmax);
}

void AddFinite(Range& range, double element) {
  if (std::isfinite(element)) range.Add(element);
}

// The ranges of groups by their extremes.
class ExtremeFinder {
 public:
  ExtremeFinder(const GroupRules& rules, const GroupLayout& layout, const Kernels& kernels)
      : rules_(rules),
        layout_(layout),
        kernels_(kernels),
        ranges_(static_cast<std::size_t>(layout.Count())) {}

  template <typename T>
  void AddChannel(std::int64_t n, std::span<const T> elements) {
    const std::int64_t runs = layout_.RunsPerChannel();
    std::vector<Range> found(static_cast<std::size_t>(runs));
    for (std::int64_t run = 0; run < runs; ++run) {
      const std::int64_t begin = run * layout_.rows;
      const auto length = static_cast<std::size_t>(std::min(layout_.rows, layout_.depth - begin));
      found[static_cast<std::size_t>(run)] =
          RangeOfRun(elements.subspan(static_cast<std::size_t>(begin), length));
    }
    const std::lock_guard<std::mutex> lock(mutex_);  // Extremes do not mind the order.
    for (std::int64_t run = 0; run < runs; ++run) {
      ranges_[static_cast<std::size_t>(layout_.GroupOf(n, run))].Merge(
          found[static_cast<std::size_t>(run)]);
    }
  }

  [[nodiscard]] const std::vector<Range>& Ranges() const { return ranges_; }

 private:
  template <typename T>
  [[nodiscard]] Range RangeOfRun(std::span<const T> elements) const {
    Range range;
    if constexpr (std::is_same_v<T, float>) {
      float absmax = 0;
      if (IsAbsmaxOfFloat32(rules_) && elements.size() > 1 &&
          AllFinite(kernels_, elements, absmax)) {
        range.Add(static_cast<double>(absmax));
        range.Add(-static_cast<double>(absmax));
        return range;
      }
    }
    for (const T element : elements) AddFinite(range, static_cast<double>(element));
    return range;
  }

  const GroupRules& rules_;
  const GroupLayout& layout_;
  const Kernels& kernels_;
  std::mutex mutex_;
  std::vector<Range> ranges_;
};

std::vector<Range> RangesFromExtremes(const GroupRules& rules, const GroupLayout& layout,
                                      const ChannelSource& source,
                                      const QuantizerOptions& options) {
  ExtremeFinder finder(rules, layout, KernelsFor(options.isa));
  if (rules.precision == DType::kFloat32) {
    ForEachChannel<float>(source, options.threads, [&](std::int64_t n, std::span<const float> x) {
      finder.AddChannel(n, x);
    });
  } else {
    ForEachChannel<double>(source, options.threads, [&](std::int64_t n, std::span<const double> x) {
      finder.AddChannel(n, x);
    });
  }
  return finder.Ranges();
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
