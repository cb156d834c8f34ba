#ifndef NARROWGAUGE_QUANTIZE_PLAIN_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_PLAIN_QUANTIZER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "src/quantize/group.h"
#include "src/quantize/group_layout.h"
#include "src/quantize/quantizer.h"

namespace narrowgauge::internal {

// The plain quantizer: any spec of our own convention, element by element through the reference
// codec. What others do faster is tested against it.
class PlainQuantizer : public Quantizer {
 public:
  // `shared` holds the scale of each group if the layout's are shared, else nothing.
  PlainQuantizer(const GroupRules& rules, const GroupLayout& layout, std::vector<GroupScale> shared,
                 std::uint64_t seed);

  // Parts may be any whole runs.
  ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                     std::span<float> values, QuantizationCounts& counts) const override;
  ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const double> x,
                     std::span<float> values, QuantizationCounts& counts) const override;

  [[nodiscard]] ChannelCodes Codes(std::int64_t n, std::span<const float> x) const override;
  [[nodiscard]] ChannelCodes Codes(std::int64_t n, std::span<const double> x) const override;

  [[nodiscard]] QuantizationCounts SharedCounts() const override;

  [[nodiscard]] const GroupRules& Rules() const { return rules_; }
  [[nodiscard]] const GroupLayout& Layout() const { return layout_; }
  [[nodiscard]] const std::vector<GroupScale>& SharedScales() const { return shared_; }

 private:
  // The scale of a run, and a note of it where it is not shared.
  [[nodiscard]] GroupScale ScaleOfRun(std::int64_t n, std::int64_t run, std::span<const double> x,
                                      QuantizationCounts& counts) const;
  [[nodiscard]] std::vector<std::uint64_t> RandomBits(std::int64_t first, std::size_t count) const;
  // Calls take(k, element, scale of its run) for elements [begin, begin + x.size()) of channel n.
  template <typename Take>
  void ForEachElement(std::int64_t n, std::int64_t begin, std::span<const double> x,
                      QuantizationCounts& counts, const Take& take) const;

  GroupRules rules_;
  GroupLayout layout_;
  std::vector<GroupScale> shared_;
  std::uint64_t seed_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_PLAIN_QUANTIZER_H_
