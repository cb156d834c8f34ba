#ifndef NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_

#include <memory>

#include "narrowgauge/dtype.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"
#include "src/quantize/quantizer.h"

namespace narrowgauge::internal {

// Returns a quantizer that does what the spec's convention says, which must not be null: of the
// rest of the spec only format and granularity count. `stored_dtype` is how the weights are stored:
// packages compute with bfloat16 and float16 weights in those types.
//
// What the tensor has in common (a scale per tensor, NVFP4's second level) is found here from the
// finite elements, in one pass of `threads` threads. The results depend on neither.
//
// kInvalidArgument if the scheme has another format or no such granularity. kFailedPrecondition if
// the package refuses the matrix: a K that is no multiple of the group, weights that it cannot
// scale. Channels with NaN or infinity are not judged; nor must they be quantised.
[[nodiscard]] Result<std::unique_ptr<Quantizer>> MakeConventionQuantizer(
    const QuantizationSpec& spec, const ChannelSource& source, DType stored_dtype, int threads);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_
