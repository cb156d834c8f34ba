#include "src/experiment/load_operands.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "src/base/checked_math.h"
#include "src/experiment/structured_inputs.h"

namespace narrowgauge::internal {
namespace {

constexpr std::int64_t kDefaultRows = 64;

// Where K is 0 no memory limits the other sizes, and each channel and row is still looked at.
constexpr std::int64_t kMostEmptyLines = std::int64_t{1} << 20;

// Of a product; of weights alone, m is 0.
struct Sizes {
  std::int64_t m = 0, k = 0, n = 0;
};

Result<void> CheckCounts(const Sizes& sizes) {
  if (CheckedMultiply(sizes.k, sizes.n) && CheckedMultiply(sizes.m, sizes.k) &&
      CheckedMultiply(sizes.m, sizes.n)) {
    if (sizes.k > 0 || std::max(sizes.m, sizes.n) <= kMostEmptyLines) return {};
    return MakeError(StatusCode::kResourceExhausted,
                     fmt::format("a matrix without elements may have up to {} rows or channels: "
                                 "M x K x N = {} x {} x {}",
                                 kMostEmptyLines, sizes.m, sizes.k, sizes.n));
  }
  return MakeError(StatusCode::kResourceExhausted,
                   fmt::format("more elements than 64 bits can count: M x K x N = {} x {} x {}",
                               sizes.m, sizes.k, sizes.n));
}

// Refuses what cannot fit into the machine's memory; an estimate from below, in float64 since it
// need not fit into an integer.
Result<void> CheckMemory(const Sizes& sizes, const MeasureOptions& options, DType precision) {
  const auto m = static_cast<double>(sizes.m);
  const auto k = static_cast<double>(sizes.k);
  const auto n = static_cast<double>(sizes.n);
  const double weights = options.random ? sizeof(float) * k * n : 0;
  const double activations = m * k * (2 * sizeof(float));  // As they are, and quantised.
  const double element = precision == DType::kFloat64 ? sizeof(double) : sizeof(float);
  // Of a panel: as read, dequantised, both packed; the reference and a product.
  const double panel = static_cast<double>(kPanelColumns) * (k * (2 * element + 2 * sizeof(float)) +
                                                             m * (sizeof(double) + sizeof(float)));
  const double fixed = weights + activations + BytesToDraw(options.inputs, sizes.k);
  const double needed = fixed + panel * std::max(options.threads, 1);
  const double available = PhysicalMemory();
  if (needed <= available) return {};
  const bool fewer_help = options.threads > 1 && fixed + panel <= available;
  return MakeError(
      StatusCode::kResourceExhausted,
      fmt::format("not enough memory; {}: M x K x N = {} x {} x {} needs {:.0f} bytes of {:.0f}",
                  fewer_help ? "try --threads 1" : "smaller sizes are needed", sizes.m, sizes.k,
                  sizes.n, needed, available));
}

// Draws the operands that are not there yet.
void Draw(const MeasureOptions& options, const Sizes& sizes, Drawn drawn, Operands& operands) {
  const PrngKey seed = MakePrngKey(options.seed);
  const auto keys = Split(seed, 3, ThreefryLayout::kPartitionable);
  std::vector<float> x(drawn.x ? static_cast<std::size_t>(sizes.m * sizes.k) : 0);
  std::vector<float> w(drawn.w ? static_cast<std::size_t>(sizes.k * sizes.n) : 0);
  DrawOperands(options.inputs, {.m = sizes.m,
                                .k = sizes.k,
                                .n = sizes.n,
                                .x = x,
                                .w = w,
                                .x_key = options.random ? keys[0] : seed,
                                .w_key = keys[1],
                                .shared_key = keys[2],
                                .isa = options.isa});
  if (drawn.x) {
    operands.activations =
        std::make_unique<Operand>(std::move(x), sizes.m, sizes.k, KAxis::kLast, options.isa);
  }
  if (drawn.w) {
    operands.weights =
        std::make_unique<Operand>(std::move(w), sizes.k, sizes.n, KAxis::kFirst, options.isa);
  }
}

// `rows` is what M must be, if anything.
Result<std::unique_ptr<Operand>> OpenActivations(const MeasureOptions& options, std::int64_t depth,
                                                 std::optional<std::int64_t> rows) {
  const MatrixSource& source = *options.activations;
  auto x = OpenOperand(source, options.checkpoint, KAxis::kLast, options.isa);
  if (!x) return x;
  if ((*x)->Precision() != DType::kFloat32) {
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("activations have a dtype that cannot be multiplied; expected one "
                                 "that float32 holds: {}",
                                 (*x)->StoredWord()));
  }
  if ((*x)->Depth() != depth || (rows && (*x)->Channels() != *rows)) {
    const std::string wanted = rows ? fmt::format("M = {}, K = {} as --random says", *rows, depth)
                                    : fmt::format("K = {} as the weights have it", depth);
    return MakeError(StatusCode::kFailedPrecondition,
                     fmt::format("activations {} do not fit the weights; expected [M, K] with {}: "
                                 "shape {}",
                                 DescribeSource(source, (*x)->TensorName()), wanted,
                                 FormatShape({(*x)->Channels(), (*x)->Depth()})));
  }
  return x;
}

}  // namespace

double PhysicalMemory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Result<Operands> LoadOperands(const MeasureOptions& options) {
  const bool output = options.error_of == ErrorOf::kOutput;
  const auto& random = options.random;
  const int sources = (options.weights ? 1 : 0) + (options.matrix ? 1 : 0) + (random ? 1 : 0);
  if (sources != 1) {
    return MakeError(StatusCode::kInvalidArgument,
                     "weights are those of a file, those in memory or random ones");
  }
  if (!options.weights && options.weights_k_axis) {
    return MakeError(StatusCode::kInvalidArgument,
                     "which axis of a file is K says nothing about weights that are in none");
  }
  const Drawn drawn = {.x = output && !options.activations, .w = random.has_value()};
  Operands operands;
  Sizes sizes;
  DType precision = DType::kFloat32;
  if (random) {
    sizes = {output ? random->m : 0, random->k, random->n};
  } else {
    auto w = options.matrix ? OpenOperand(*options.matrix, options.isa)
                            : OpenOperand(*options.weights, options.checkpoint,
                                          options.weights_k_axis, options.isa);
    if (!w) return tl::unexpected(w.error());
    sizes = {output ? kDefaultRows : 0, (*w)->Depth(), (*w)->Channels()};
    precision = (*w)->Precision();
    operands.weights = std::move(*w);
  }
  if (output && options.activations) {
    auto x = OpenActivations(options, sizes.k,
                             random ? std::optional<std::int64_t>(sizes.m) : std::nullopt);
    if (!x) return tl::unexpected(x.error());
    sizes.m = (*x)->Channels();
    operands.activations = std::move(*x);
  }
  if (const auto known = CheckInputs(options.inputs, drawn, sizes.k); !known) {
    return tl::unexpected(known.error());
  }
  if (const auto counted = CheckCounts(sizes); !counted) return tl::unexpected(counted.error());
  if (const auto fits = CheckMemory(sizes, options, precision); !fits) {
    return tl::unexpected(fits.error());
  }
  Draw(options, sizes, drawn, operands);
  return operands;
}

}  // namespace narrowgauge::internal
