#ifndef NARROWGAUGE_QUANTIZE_FAST_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_FAST_QUANTIZER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/kernels/kernels.h"
#include "src/quantize/mx_scales.h"
#include "src/quantize/plain_quantizer.h"

namespace narrowgauge::internal {

// The values and counts of a PlainQuantizer, by the kernels: for scales by absmax,
// symmetric or with an integer zero point, rounding to nearest even, of float32 elements. Chunks
// whose scales are not plain numbers (a quotient or a product might over- or underflow) and float64
// elements are left to the plain one.
class FastQuantizer : public Quantizer {
 public:
  // Returns nothing for rules that the kernels do not know.
  static std::unique_ptr<Quantizer> Make(std::shared_ptr<const PlainQuantizer> plain,
                                         const Kernels& kernels);

  ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                     std::span<float> values, QuantizationCounts& counts) const override;
  ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const double> x,
                     std::span<float> values, QuantizationCounts& counts) const override;
  [[nodiscard]] ChannelCodes Codes(std::int64_t n, std::span<const float> x) const override {
    return plain_->Codes(n, x);
  }
  [[nodiscard]] ChannelCodes Codes(std::int64_t n, std::span<const double> x) const override {
    return plain_->Codes(n, x);
  }
  [[nodiscard]] std::int64_t PartLength() const override;
  [[nodiscard]] QuantizationCounts SharedCounts() const override;

 private:
  struct OffsetScales;  // Of runs that have zero points.

  FastQuantizer(std::shared_ptr<const PlainQuantizer> plain, const Kernels& kernels,
                const CodecConstants& codec);

  // Finds the scales of `count` runs from their largest magnitudes; false if any is no plain
  // number.
  [[nodiscard]] bool FindScales(const float* absmax, std::int64_t count, float* factors,
                                float* scales) const;
  [[nodiscard]] bool FindOffsetScales(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                      OffsetScales& found) const;
  [[nodiscard]] bool TakeOffsetScale(const GroupScale& scale, std::size_t run,
                                     OffsetScales& found) const;
  ErrorsAre QuantizeWithOffsets(std::int64_t n, std::int64_t begin, std::span<const float> x,
                                std::span<float> values, QuantizationCounts& counts) const;
  // The shared scales of `count` runs of channel n, or null if any is no plain number.
  [[nodiscard]] const float* SharedScalesOf(std::int64_t n, std::int64_t run,
                                            std::int64_t count) const;
  ErrorsAre QuantizeChunk(std::int64_t n, std::int64_t begin, std::span<const float> x,
                          std::span<float> values, QuantizationCounts& counts) const;
  ErrorsAre QuantizeLongRun(std::int64_t n, std::int64_t begin, std::span<const float> x,
                            std::span<float> values, QuantizationCounts& counts) const;
  ErrorsAre RunKernel(std::int64_t n, std::int64_t begin, std::span<const float> x,
                      const ScaledRuns& runs, std::span<float> values,
                      QuantizationCounts& counts) const;

  [[nodiscard]] bool IsSaturated(float x, std::size_t i, const ScaledRuns& runs) const;

  std::shared_ptr<const PlainQuantizer> plain_;
  const Kernels& kernels_;
  CodecConstants codec_;
  std::optional<CodecConstants> e4m3_;  // Of nvfp4's scales.
  std::optional<MxScales> mx_scales_;
  std::vector<float> shared_scales_;           // The plain quantizer's, as float32.
  std::vector<std::int64_t> shared_oddities_;  // Which of them are no plain numbers, ascending.
  bool is_unscaled_ = false;
  bool has_zero_points_ = false;
  bool bounded_ = false;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_FAST_QUANTIZER_H_
