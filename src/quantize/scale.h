#ifndef NARROWGAUGE_QUANTIZE_SCALE_H_
#define NARROWGAUGE_QUANTIZE_SCALE_H_

#include <cstdint>
#include <span>

#include "narrowgauge/quantization.h"
#include "src/quantize/element.h"

namespace narrowgauge::internal {

// What a scale must cover: the least and the greatest element, of elements that are finite.
struct Range {
  double low = 0;
  double high = 0;
  bool empty = true;

  void Add(double element);
  void Merge(const Range& other);
  [[nodiscard]] double Absmax() const;
};

// A scale as it is stored, and what was peculiar about it.
struct GroupScale {
  double scale = 1;
  double zero_point = 0;  // An integer code (ZeroPoint::kInteger) or the minimum (kFloat), else 0.
  bool is_zero_group = false;
  bool is_subnormal = false;
  bool underflowed = false;
  bool overflowed = false;
};

// The scale of a group by the rules of quantization.h. The quotient is rounded once, to the scale's
// dtype; nvfp4's are found in float32, step by step: fl32(fl32(a / 6) / tensor scale).
// `tensor_scale` is used of nvfp4 only.
[[nodiscard]] GroupScale FindScale(const QuantizationSpec& spec, const ElementGrid& grid,
                                   const Range& range, double tensor_scale);

// The float32 scale of an nvfp4 tensor: its largest magnitude / (448 * 6), or 1 if that is 0.
[[nodiscard]] double FindTensorScale(double absmax);

// Notes what was peculiar about a scale whose group begins at `index`.
void NoteScale(const GroupScale& scale, std::int64_t index, QuantizationCounts& counts);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_SCALE_H_
