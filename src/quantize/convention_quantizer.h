#ifndef NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_
#define NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_

#include <cstdint>
#include <memory>

#include "narrowgauge/convention.h"
#include "narrowgauge/dtype.h"
#include "narrowgauge/quantization.h"
#include "narrowgauge/status.h"
#include "src/quantize/quantizer.h"

namespace narrowgauge::internal {

// What a convention stores beside its codes, for weights that are stored as `stored_dtype`.
struct StoredScales {
  DType scale_dtype = DType::kFloat32;
  bool has_tensor_scale = false;
};
[[nodiscard]] StoredScales StoredScalesOf(const Convention& convention, DType stored_dtype);

// What becomes of a channel's last group if it is short.
enum class ShortGroups : std::uint8_t {
  kAsThePackage,  // Refused or completed, as the convention's package does.
  kCompleted,     // Completed by zeros, as block formats are.
};

// Returns a quantizer that does what the spec's convention says, which must not be null: of the
// rest of the spec only format and granularity count. Packages compute with weights that are stored
// as bfloat16 and float16 in those types.
//
// What the tensor has in common (a scale per tensor, NVFP4's second level) is found here from the
// finite elements, in one pass of `threads` threads. The results depend on neither.
//
// kInvalidArgument if the scheme has another format or no such granularity. kFailedPrecondition if
// the package refuses the matrix: a K that is no multiple of the group, weights that it cannot
// scale, or float64 ones. Channels with NaN or infinity are not judged; nor must they be quantised.
[[nodiscard]] Result<std::unique_ptr<Quantizer>> MakeConventionQuantizer(
    const QuantizationSpec& spec, const ChannelSource& source, ShortGroups short_groups,
    int threads);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_QUANTIZE_CONVENTION_QUANTIZER_H_
