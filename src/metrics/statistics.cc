#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "narrowgauge/error_metrics.h"
#include "src/base/check.h"
#include "src/metrics/partial.h"
#include "src/metrics/ulp.h"

namespace narrowgauge {
namespace {

constexpr auto kLength = static_cast<std::size_t>(ErrorStatistics::kPartialLength);

// x of ErrorStatistics' scaling.
int ScaleExponent(double largest) {
  if (largest == 0 || (largest >= 0x1p-400 && largest <= 0x1p400)) return 0;
  return std::isinf(largest) ? 1024 : std::ilogb(largest);
}

double Scale(double x, int exponent) { return exponent == 0 ? x : std::ldexp(x, -exponent); }

double ScaledError(double r, double v, int exponent) {
  return exponent > 0 ? Scale(v, exponent) - Scale(r, exponent) : Scale(v - r, exponent);
}

// The elements of a partial that count, as its sums take them: an element that does not is 0.
struct Operands {
  std::size_t size = 0;
  std::array<double, kLength> reference, value;
  std::array<bool, kLength> counts;
  double largest_reference = 0, largest_value = 0, largest_error = 0;
};

Operands SelectElements(std::span<const double> reference, std::span<const double> value,
                        std::int64_t first_index, std::int64_t stride,
                        ErrorStatistics& statistics) {
  Operands kept;
  kept.size = reference.size();
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i];
    const double v = value[i];
    const std::int64_t index = first_index + static_cast<std::int64_t>(i) * stride;
    kept.counts[i] = std::isfinite(r) && std::isfinite(v);
    kept.reference[i] = kept.counts[i] ? r : 0;
    kept.value[i] = kept.counts[i] ? v : 0;
    if (!kept.counts[i]) {
      if (std::isfinite(r)) {
        ++statistics.nonfinite_results;
        internal::LowerIndex(index, statistics.first_nonfinite_result);
      }
      continue;
    }
    ++statistics.count;
    kept.largest_reference = std::max(kept.largest_reference, std::abs(r));
    kept.largest_value = std::max(kept.largest_value, std::abs(v));
    kept.largest_error = std::max(kept.largest_error, std::abs(v - r));
  }
  return kept;
}

void AddSums(const Operands& kept, ErrorNeeds needs, ErrorStatistics& statistics) {
  const int r_exponent = ScaleExponent(kept.largest_reference);
  const int v_exponent = ScaleExponent(kept.largest_value);
  const int e_exponent = ScaleExponent(kept.largest_error);
  const auto r = [&](std::size_t i) { return Scale(kept.reference[i], r_exponent); };
  const auto v = [&](std::size_t i) { return Scale(kept.value[i], v_exponent); };
  const auto e = [&](std::size_t i) {
    return ScaledError(kept.reference[i], kept.value[i], e_exponent);
  };
  const auto products = [&](auto a, auto b) {
    return internal::SumOfProductsInLanes(kept.size, a, b);
  };
  statistics.max_abs = kept.largest_error;
  statistics.sum_abs = {
      internal::SumInLanes(kept.size, [&](std::size_t i) { return std::abs(e(i)); }), e_exponent};
  statistics.sum_squares = {products(e, e), 2 * e_exponent};
  statistics.reference_squares = {products(r, r), 2 * r_exponent};
  if (Includes(needs, ErrorNeeds::kCosine)) {
    statistics.value_squares = {products(v, v), 2 * v_exponent};
    statistics.products = {products(r, v), r_exponent + v_exponent};
  }
}

// |v - r| = magnitude * 2^exponent; the exponent is 0 unless the difference overflows.
struct AbsoluteError {
  double magnitude;
  int exponent;
};

AbsoluteError ErrorOf(double r, double v) {
  const double e = std::abs(v - r);
  if (std::isfinite(e)) return {e, 0};
  return {std::abs(v / 4 - r / 4), 2};
}

void AddQuotients(const Operands& kept, const ErrorOptions& options, ErrorStatistics& statistics) {
  const bool relative = Includes(options.needs, ErrorNeeds::kRelative);
  const bool in_ulp = Includes(options.needs, ErrorNeeds::kUlp);
  const bool backward = Includes(options.needs, ErrorNeeds::kBackward);
  const internal::UlpOf ulp(options.ulp_of);
  const auto raise = [](double quotient, double& maximum) {
    maximum = std::max(maximum, quotient);
  };
  for (std::size_t i = 0; i < kept.size; ++i) {
    if (!kept.counts[i]) continue;
    const double r = kept.reference[i];
    const AbsoluteError e = ErrorOf(r, kept.value[i]);
    if (relative && r != 0) {
      raise(e.magnitude / Scale(std::abs(r), e.exponent), statistics.max_relative);
    }
    if (in_ulp) raise(std::ldexp(e.magnitude, e.exponent - ulp.Exponent(r)), statistics.max_ulp);
    if (backward) {
      const double magnitude = options.magnitudes[i];
      if (magnitude > 0) {
        ++statistics.backward_count;
        raise(e.magnitude / Scale(magnitude, e.exponent), statistics.max_backward);
      } else if (e.magnitude > 0) {
        ++statistics.backward_over_zero;
      }
    }
  }
}

ErrorStatistics OnePartial(std::span<const double> reference, std::span<const double> value,
                           std::int64_t first_index, std::int64_t stride,
                           const ErrorOptions& options) {
  ErrorStatistics partial;
  const Operands kept = SelectElements(reference, value, first_index, stride, partial);
  if (partial.count == 0) return partial;
  partial.covered = options.needs;
  AddSums(kept, options.needs, partial);
  if ((options.needs & ~ErrorNeeds::kCosine) != ErrorNeeds::kBasic) {
    AddQuotients(kept, options, partial);
  }
  return partial;
}

}  // namespace

void AddErrors(std::span<const double> reference, std::span<const double> value,
               std::int64_t first_index, std::int64_t stride, ErrorStatistics& statistics,
               const ErrorOptions& options) {
  NG_CHECK(reference.size() == value.size());
  ErrorOptions part = options;
  if (options.magnitudes.empty()) {
    part.needs = options.needs & ~ErrorNeeds::kBackward;
  } else {
    NG_CHECK(options.magnitudes.size() == value.size());
  }
  for (std::size_t begin = 0; begin < reference.size(); begin += kLength) {
    const std::size_t n = std::min(kLength, reference.size() - begin);
    if (!options.magnitudes.empty()) part.magnitudes = options.magnitudes.subspan(begin, n);
    MergeErrors(OnePartial(reference.subspan(begin, n), value.subspan(begin, n),
                           first_index + static_cast<std::int64_t>(begin) * stride, stride, part),
                statistics);
  }
}

void MergeErrors(const ErrorStatistics& part, ErrorStatistics& whole) {
  whole.count += part.count;
  whole.max_abs = std::max(whole.max_abs, part.max_abs);
  internal::MergeSum(part.sum_abs, whole.sum_abs);
  internal::MergeSum(part.sum_squares, whole.sum_squares);
  internal::MergeSum(part.reference_squares, whole.reference_squares);
  internal::MergeSum(part.value_squares, whole.value_squares);
  internal::MergeSum(part.products, whole.products);
  whole.max_relative = std::max(whole.max_relative, part.max_relative);
  whole.max_ulp = std::max(whole.max_ulp, part.max_ulp);
  whole.max_backward = std::max(whole.max_backward, part.max_backward);
  whole.backward_count += part.backward_count;
  whole.backward_over_zero += part.backward_over_zero;
  whole.nonfinite_results += part.nonfinite_results;
  internal::LowerIndex(part.first_nonfinite_result, whole.first_nonfinite_result);
  whole.covered = whole.covered & part.covered;
}

}  // namespace narrowgauge
