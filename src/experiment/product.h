#ifndef NARROWGAUGE_EXPERIMENT_PRODUCT_H_
#define NARROWGAUGE_EXPERIMENT_PRODUCT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "narrowgauge/experiment.h"
#include "src/backends/scaled_product.h"
#include "src/experiment/operand.h"
#include "src/kernels/kernels.h"
#include "src/quantize/quantizer.h"

namespace narrowgauge::internal {

// The products of a measurement: x, quantised as each policy says, times panels of w.
class Product {
 public:
  // kInvalidArgument for a policy whose accumulation or use of scales is not supported yet.
  [[nodiscard]] static Result<void> Supports(const PrecisionPolicy& policy);

  // Prepares x[M, K] for all policies; rows that hold what is not finite are left out.
  [[nodiscard]] static Result<std::unique_ptr<Product>> Make(const Operand& x,
                                                             std::span<const NamedPolicy> policies,
                                                             ErrorNeeds needs,
                                                             const MeasureOptions& options,
                                                             const Kernels& kernels);

  [[nodiscard]] const NonFinite& LeftOut() const { return left_out_; }
  [[nodiscard]] const QuantizationCounts& Counts(std::size_t policy) const {
    return quantized_.at(key_of_policy_[policy]).counts;
  }

  // The products of x with up to kPanelColumns channels, [m][channel] with row stride
  // kPanelColumns.
  struct Reference {
    std::vector<double> values;
    std::vector<double> magnitudes;  // |x| * |w|; empty unless asked for.
  };

  // The reference of channels whose elements are rows[i * depth ...] for i in `kept`, in float64
  // with compensated sums.
  [[nodiscard]] Reference MakeReference(const float* rows, std::int64_t depth,
                                        const std::vector<std::int64_t>& kept) const;
  [[nodiscard]] Reference MakeReference(const double* rows, std::int64_t depth,
                                        const std::vector<std::int64_t>& kept) const;

  // Whether row m holds only what is finite.
  [[nodiscard]] bool Kept(std::int64_t m) const { return kept_[static_cast<std::size_t>(m)]; }

  // The factors that a policy multiplies by: channels first + i of its weights, whose elements are
  // rows[i * depth ...], for i in `kept`; the others are zero.
  template <typename T>
  [[nodiscard]] Lines QuantizeWeights(std::size_t policy, const Quantizer& quantizer,
                                      std::int64_t first, const T* rows,
                                      const std::vector<std::int64_t>& kept,
                                      QuantizationCounts& counts) const;

  // The products under a policy with those channels, rounded to its output: [m][channel] with row
  // stride kPanelColumns.
  [[nodiscard]] std::vector<double> Results(std::size_t policy, const Lines& weights,
                                            const std::vector<std::int64_t>& kept) const;

  // Multiplies under a policy by channels, and calls take(i, errors of output channel first + i)
  // for i in `kept`.
  void AddErrorsOf(std::size_t policy, const Lines& weights, const std::vector<std::int64_t>& kept,
                   std::int64_t first, std::int64_t channels, const Reference& reference,
                   const std::function<void(std::int64_t, ErrorStatistics)>& take) const;

 private:
  struct Quantized {
    Lines lines;
    QuantizationCounts counts;
  };

  explicit Product(const Kernels& kernels) : kernels_(kernels) {}

  const Kernels& kernels_;
  std::vector<PrecisionPolicy> policies_;
  ErrorNeeds needs_ = ErrorNeeds::kBasic;
  decltype(MeasureOptions::outputs) outputs_;
  std::int64_t rows_ = 0, depth_ = 0;
  std::vector<float> values_;  // Rows left out are zero.
  std::vector<bool> kept_;
  NonFinite left_out_;
  std::map<std::string, Quantized> quantized_;  // By what is asked of x, in words.
  std::vector<std::string> key_of_policy_;
};

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_EXPERIMENT_PRODUCT_H_
