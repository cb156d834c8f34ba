#ifndef NARROWGAUGE_QUANTIZE_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_QUANTIZER_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"
#include "src/kernels/kernels.h"

// Quantisation of a matrix, one channel at a time: a channel is the K elements of one output, side
// by side, whatever axis of the file they lie on.

namespace narrowgauge::internal {

// A matrix as its quantizer sees it. Reading is thread-safe.
class ChannelSource {
 public:
  virtual ~ChannelSource() = default;
  [[nodiscard]] virtual std::int64_t Depth() const = 0;     // K
  [[nodiscard]] virtual std::int64_t Channels() const = 0;  // N
  // How elements are stored, and float32 for all formats whose values it holds, else float64.
  [[nodiscard]] virtual DType StoredDType() const = 0;
  [[nodiscard]] DType Precision() const {
    return StoredDType() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  }
  // Writes channels [first, first + count) one after another: count * K values. The first only if
  // Precision() is float32.
  virtual void Read(std::int64_t first, std::int64_t count, float* out) const = 0;
  virtual void Read(std::int64_t first, std::int64_t count, double* out) const = 0;
  // The elements of channel n where they lie as float32 side by side, else null.
  [[nodiscard]] virtual const float* InPlace(std::int64_t /*n*/) const { return nullptr; }
};

// What a channel is stored as: value = (code - zero point) * scale, but for the rounding of that.
struct ChannelCodes {
  std::int64_t run_length = 0;     // So many consecutive k share a scale.
  std::vector<float> codes;        // The values of the codes; of integers, the integers.
  std::vector<float> scales;       // Of each run.
  std::vector<float> zero_points;  // Of each run; integers, 0 of formats without one.
};

// Quantises the channels of one matrix under one spec. Results do not depend on the instruction
// set, on the order in which channels are asked for or on the parts they are asked for in; methods
// are thread-safe.
//
// Quantize writes the dequantised values of elements [begin, begin + x.size()) of channel n, which
// are x, all finite; indices in counts are n * K + k. A part begins at a multiple of PartLength()
// and ends at one or with the channel. The float64 form takes the elements of a float64 matrix, for
// which quotients are not rounded to float32. Returns kFloat32 only if each value - x is a float32.
class Quantizer {
 public:
  static constexpr std::int64_t kWholeChannel = std::numeric_limits<std::int64_t>::max();

  virtual ~Quantizer() = default;
  virtual ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const float> x,
                             std::span<float> values, QuantizationCounts& counts) const = 0;
  virtual ErrorsAre Quantize(std::int64_t n, std::int64_t begin, std::span<const double> x,
                             std::span<float> values, QuantizationCounts& counts) const = 0;
  // What Quantize's values of a whole channel come from: of specs with scales of our own, without
  // zero=float; of others it must not be asked for.
  [[nodiscard]] virtual ChannelCodes Codes(std::int64_t n, std::span<const float> x) const;
  [[nodiscard]] virtual ChannelCodes Codes(std::int64_t n, std::span<const double> x) const;
  // kWholeChannel or kPartialElements.
  [[nodiscard]] virtual std::int64_t PartLength() const { return kWholeChannel; }
  // What was peculiar about scales that channels share; Quantize does not count them.
  [[nodiscard]] virtual QuantizationCounts SharedCounts() const { return {}; }
};

struct QuantizerOptions {
  std::uint64_t seed = 0;                          // Of stochastic rounding.
  InstructionSet isa = InstructionSet::kBaseline;  // Changes the time, never a bit.
  int threads = 1;                                 // Likewise.
};

// Returns the quantizer of a valid spec for a matrix. Scales that several channels share are found
// here, from the finite elements; those of one channel alone when it is quantised. Errors as
// MakeConventionQuantizer, for specs with a convention; kFailedPrecondition for ggml's formats of
// float64 elements.
[[nodiscard]] Result<std::unique_ptr<Quantizer>> MakeQuantizer(const QuantizationSpec& spec,
                                                               const ChannelSource& source,
                                                               const QuantizerOptions& options);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_QUANTIZER_H_
