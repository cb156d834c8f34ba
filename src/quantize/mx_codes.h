#ifndef NARROWGAUGE_QUANTIZE_MX_CODES_H_
#define NARROWGAUGE_QUANTIZE_MX_CODES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "narrowgauge/quantization.h"
#include "src/kernels/kernels.h"
#include "src/quantize/group.h"
#include "src/quantize/mx_scales.h"

namespace narrowgauge::internal {

// Codes of whole MX blocks: a byte for each element, not packed any further, and a byte of
// float8_e8m0fnu for each block. What they mean is what a Quantizer of the same spec returns.
class MxCodec {
 public:
  static constexpr std::int64_t kBlock = kMxBlock;

  // `spec` is a valid one of an MX format, without a convention, that rounds to nearest even and
  // has ranges by absmax. Results do not depend on the kernels.
  MxCodec(const QuantizationSpec& spec, const Kernels& kernels);

  // Finds the scales of finite values and encodes them.
  void Encode(std::span<const float> values, std::span<std::byte> codes,
              std::span<std::byte> scales) const;
  // values[i] = the value of codes[i] times its block's scale, rounded once to float32.
  void Decode(std::span<const std::byte> codes, std::span<const std::byte> scales,
              std::span<float> values) const;

 private:
  // Blocks whose scales and quotients need care, through the reference codec.
  void EncodePlainly(const float* values, std::int64_t blocks, std::byte* codes,
                     std::byte* scales) const;
  void DecodePlainly(const std::byte* codes, const std::byte* scales, std::int64_t blocks,
                     float* values) const;

  GroupRules rules_;
  MxScales scales_;
  CodecConstants codec_;
  const Kernels& kernels_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_MX_CODES_H_
