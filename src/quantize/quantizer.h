#ifndef NARROWGAUGE_QUANTIZE_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_QUANTIZER_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "narrowgauge/instruction_set.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"

// Quantisation of a matrix, one channel at a time: a channel is the K elements of one output, side
// by side, whatever axis of the file they lie on.

namespace narrowgauge::internal {

// Elements or scales that meet a condition. Indices are n * K + k, of the first element of a group
// for scales.
struct Occurrences {
  std::int64_t count = 0;
  std::int64_t first_index = -1;

  void Note(std::int64_t index) {
    if (count++ == 0 || index < first_index) first_index = index;
  }
  void Merge(const Occurrences& other) {
    if (other.count == 0) return;
    first_index = count == 0 ? other.first_index : std::min(first_index, other.first_index);
    count += other.count;
  }
};

// What quantisation did that a mean would hide.
struct QuantizationCounts {
  Occurrences saturated;           // The rounded code lay outside the codes there are.
  Occurrences zero_scales;         // Groups of zeros, whatever their scale became.
  Occurrences subnormal_scales;    // Scales that are subnormal in their dtype.
  Occurrences underflowed_scales;  // Scales that became 0 although an element is not.
  Occurrences
      overflowed_scales;  // Scales that became infinite or NaN, or were clamped to the largest.

  void Merge(const QuantizationCounts& other);
};

// One group: the elements that share a scale, as they are stored.
struct QuantizedGroup {
  std::vector<double> codes;   // Integers as they are; floats as their codes' bits; NaN: no code.
  std::vector<float> values;   // Dequantised.
  double scale = 0;            // As stored.
  double zero_point = 0;       // Integer zero point, minimum or bias; 0 where there is none.
  int scale_code = -1;         // Of float8_e8m0fnu and float8_e4m3fn scales, else -1.
  float tensor_scale = 0;      // That of the whole tensor, where there is one.
  bool scale_clamped = false;  // To the largest value of its dtype.
  Occurrences saturated;       // Indices are those of the group's elements.
};

// A matrix as its quantizer sees it. Reading is thread-safe.
class ChannelSource {
 public:
  virtual ~ChannelSource() = default;
  [[nodiscard]] virtual std::int64_t Depth() const = 0;     // K
  [[nodiscard]] virtual std::int64_t Channels() const = 0;  // N
  // Writes channels [first, first + count) one after another: count * K values.
  virtual void Read(std::int64_t first, std::int64_t count, float* out) const = 0;
};

// Quantises the channels of one matrix under one spec. Results do not depend on the instruction set
// or on the order in which channels are asked for; methods are thread-safe.
class Quantizer {
 public:
  virtual ~Quantizer() = default;
  // Dequantised values of channel n, whose K finite elements are x.
  virtual void Quantize(std::int64_t n, std::span<const float> x, std::span<float> values,
                        QuantizationCounts& counts) const = 0;
};

// Returns the quantizer of a spec for a matrix; scales that several channels share are found here,
// from the finite elements. `seed` is for stochastic rounding.
[[nodiscard]] Result<std::unique_ptr<Quantizer>> MakeQuantizer(const QuantizationSpec& spec,
                                                               const ChannelSource& source,
                                                               std::uint64_t seed,
                                                               InstructionSet isa, int threads);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_QUANTIZER_H_
