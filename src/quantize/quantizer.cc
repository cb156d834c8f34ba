#include "src/quantize/quantizer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "narrowgauge/convention.h"
#include "src/base/check.h"
#include "src/quantize/convention_quantizer.h"
#include "src/quantize/fast_quantizer.h"
#include "src/quantize/plain_quantizer.h"
#include "src/quantize/shared_scales.h"

namespace narrowgauge::internal {
namespace {

// float32 as it is, and float64 of float32 elements.
class IdentityQuantizer : public Quantizer {
 public:
  ErrorsAre Quantize(std::int64_t, std::int64_t, std::span<const float> x, std::span<float> values,
                     QuantizationCounts&) const override {
    std::copy(x.begin(), x.end(), values.begin());
    return ErrorsAre::kFloat32;
  }
  ErrorsAre Quantize(std::int64_t, std::int64_t, std::span<const double>, std::span<float>,
                     QuantizationCounts&) const override {
    NG_CHECK(false);  // Made for float32 only.
  }
  [[nodiscard]] std::int64_t PartLength() const override { return kPartialElements; }
};

bool IsGgml(const QuantizationSpec& spec) {
  return spec.block_format && GetBlockFormatInfo(*spec.block_format).family == BlockFamily::kGgml;
}

bool NeedsTensorScale(const QuantizationSpec& spec) {
  return spec.block_format && GetBlockFormatInfo(*spec.block_format).tensor_scale_dtype.has_value();
}

}  // namespace

ChannelCodes Quantizer::Codes(std::int64_t, std::span<const float>) const { NG_CHECK(false); }
ChannelCodes Quantizer::Codes(std::int64_t, std::span<const double>) const { NG_CHECK(false); }

Result<std::unique_ptr<Quantizer>> MakeQuantizer(const QuantizationSpec& spec,
                                                 const ChannelSource& source,
                                                 const QuantizerOptions& options) {
  if (spec.convention != nullptr) {
    return MakeConventionQuantizer(spec, source, ShortGroups::kAsThePackage, options.threads);
  }
  if (IsGgml(spec)) {
    QuantizationSpec as_ggml = spec;
    const auto convention =
        FindConvention("ggml/" + std::string(GetBlockFormatInfo(*spec.block_format).name));
    NG_CHECK(convention.has_value());
    as_ggml.convention = *convention;
    return MakeConventionQuantizer(as_ggml, source, ShortGroups::kCompleted, options.threads);
  }
  const bool is_wide = IsCast(spec) && GetDTypeInfo(spec.dtype).mantissa_bits >= 23;
  if (is_wide && source.Precision() == DType::kFloat32)
    return std::make_unique<IdentityQuantizer>();
  if (is_wide && spec.dtype == DType::kFloat64) {
    return MakeError(StatusCode::kInvalidArgument,
                     "float64 keeps float64 elements as they are, and values are float32 here; "
                     "leave out this policy, its errors are 0");
  }
  GroupRules rules(spec, source.Precision());
  if (NeedsTensorScale(spec)) {
    rules.tensor_scale = FindTensorScale(FindTensorRange(source, options).Absmax());
  }
  const GroupLayout layout = LayOutGroups(spec, source.Depth(), source.Channels());
  std::vector<GroupScale> shared;
  if (layout.IsShared()) shared = FindSharedScales(rules, layout, source, options);
  auto plain =
      std::make_shared<const PlainQuantizer>(rules, layout, std::move(shared), options.seed);
  if (auto fast = FastQuantizer::Make(plain, KernelsFor(options.isa))) return fast;
  return std::make_unique<PlainQuantizer>(*plain);
}

}  // namespace narrowgauge::internal
