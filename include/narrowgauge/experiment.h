#ifndef NARROWGAUGE_EXPERIMENT_H_
#define NARROWGAUGE_EXPERIMENT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/checkpoint.h"
#include "narrowgauge/convention.h"
#include "narrowgauge/error_metrics.h"
#include "narrowgauge/instruction_set.h"
#include "narrowgauge/numerics_profile.h"
#include "narrowgauge/precision_policy.h"
#include "narrowgauge/random.h"
#include "narrowgauge/status.h"
#include "narrowgauge/structured_inputs.h"
#include "narrowgauge/tensor.h"
#include "narrowgauge/xplane.h"

namespace narrowgauge {

// ---- The tutorial's table --------------------------------------------------------------------

struct PrecisionTableOptions {
  NumericsProfile profile = DefaultNumericsProfile();
  ThreefryLayout layout = ThreefryLayout::kPartitionable;
  InstructionSet isa = InstructionSet::kBaseline;  // Changes the time, never a bit.
};

// One row of the tutorial's table, against the float32 product. Errors are as JAX returns them, in
// float32; the tutorial prints PythonRound(x, 5).
struct PrecisionRow {
  std::string_view policy;
  float max_abs_err = 0;
  float mean_abs_err = 0;
  std::int64_t weight_bytes = 0;  // The tutorial's own constants: int8 codes, on every row,
  std::int64_t scale_bytes = 0;   // and four bytes per scale.
};

// Every array of the tutorial, row-major, for those who want to look: x (M,K), w (K,N), products
// (M,N), one scale per column of w. All but the codes are float32 values, those named bfloat16
// rounded to it.
struct PrecisionArrays {
  static constexpr std::size_t kM = 64, kK = 256, kN = 64;

  std::array<float, kM * kK> x, x_bfloat16;
  std::array<float, kK * kN> w, w_bfloat16;
  std::array<float, kN> scales;
  std::array<std::int8_t, kK * kN> codes;
  std::array<float, kK * kN> dequantized;  // codes * scales
  std::array<float, kM * kN> reference, bf16_float32, bf16_bf16, int8_float32;
};

struct PrecisionTable {
  std::array<PrecisionRow, 3> rows;
  std::unique_ptr<PrecisionArrays> arrays;  // Never null.
};

// evaluate_precision_policies(seed): the tutorial's three policies on its 64x256x64 product of
// seeded normals, bit for bit as the profile's jaxlib computes them.
[[nodiscard]] PrecisionTable EvaluatePrecisionPolicies(std::int64_t seed = 0,
                                                       const PrecisionTableOptions& options = {});

// Errors of Bfloat16AccumulatorPolicies() on the arrays of a table, against the same reference;
// means in float64.
[[nodiscard]] std::vector<PrecisionRow> EvaluateBfloat16Accumulators(
    const PrecisionArrays& arrays, InstructionSet isa = InstructionSet::kBaseline);

// ---- The tutorial's trace ----------------------------------------------------------------------

// More would outgrow memory and what trace viewers show.
inline constexpr std::int64_t kMaxTraceSteps = 100'000;

struct WarmedTraceOptions {
  std::int64_t steps = 4;  // 1 to kMaxTraceSteps.
  std::string trace_dir;   // Empty: $TPU_TRACE_DIR, else ./tpu-xprof-trace. "~" is expanded.
  InstructionSet isa = InstructionSet::kBaseline;
};

struct WarmedTrace {
  double warmup_ms = 0;           // The first call, outside the trace.
  double steady_ms = 0;           // Total over steps, inside it.
  std::int64_t xplane_count = 0;  // All *.xplane.pb below trace_dir, older captures included.
  std::string trace_dir;          // Absolute.
  std::string run;                // Name of the run directory.
  std::string host;               // Stem of the file.
  std::string path;               // The file this capture wrote.
  CaptureSummary verified;        // What was read back from it.
  std::string_view kernel;        // The kernel that computed the steps.
  std::int64_t first_nonfinite_step = -1;  // 0-based; -1 if every result was finite.
};

// capture_warmed_trace(steps, trace_dir): times x = bf16(x*x) from ones(256,256), accumulated in
// float32, under our own recorder, writes <dir>/plugins/profile/<run>/<host>.xplane.pb, reads it
// back and verifies it. The directory is made and found writable before any work; on failure
// nothing of this capture is left behind. kInvalidArgument for steps out of range.
[[nodiscard]] Result<WarmedTrace> CaptureWarmedTrace(const WarmedTraceOptions& options = {});

// ---- One weight matrix -------------------------------------------------------------------------

// What the error is of. kOutput: the product with the activations, against the product in float64
// with compensated sums. kWeights: the weights after quantisation, against themselves.
enum class ErrorOf : std::uint8_t { kOutput, kWeights };

// Where a matrix is: a file and, unless it holds only one, a tensor in it.
struct MatrixSource {
  std::string path;
  std::string tensor;
};

// A matrix in memory: two dimensions of a floating dtype. The bytes must outlive the call that is
// given it.
struct MatrixView {
  TensorView tensor;
  KAxis k_axis = KAxis::kLast;
};

// A product of operands that are drawn, by default x = normal(k1, (M, K)) and w = normal(k2, (K,
// N)) with k1, k2 = split(PRNGKey(seed)).
struct RandomShape {
  std::int64_t m = 0, k = 0, n = 0;
};

// What a run will take, from a short piece of it that was measured.
struct WorkEstimate {
  double multiply_adds = 0;  // Of all products under all policies.
  double seconds = 0;
};

struct MeasureOptions {
  // One of these: a matrix from a file, one in memory, or random ones.
  std::optional<MatrixSource> weights;
  std::optional<MatrixView> matrix;
  std::optional<RandomShape> random;
  std::optional<MatrixSource> activations;  // Default: normal(PRNGKey(seed), (64, K)), or random.
  InputSpec inputs;                         // What the operands are like that are drawn.
  ErrorOf error_of = ErrorOf::kOutput;
  std::vector<NamedPolicy> policies;     // Empty: TutorialPolicies().
  std::optional<NamedPolicy> policy_m1;  // Instead of them all where M is 1, as devices have it.
  std::vector<const Metric*> metrics;    // What the statistics must cover. Empty: DefaultMetrics().
  std::int64_t worst = 0;                // How many of the worst channels to keep per policy.
  std::int64_t seed = 0;
  std::optional<KAxis> weights_k_axis;  // Default: the file format's.
  CheckpointOptions checkpoint;
  InstructionSet isa = InstructionSet::kBaseline;  // Changes the time, never a bit.
  int threads = 1;                                 // Likewise.
  std::function<void(double fraction)> progress;   // Called from the calling thread; may be empty.
  // Called at most once, before the work, from the calling thread; not for what takes a moment,
  // nor for errors of weights; may be empty.
  std::function<void(const WorkEstimate&)> estimate;
  // Called once with the products of each output channel under each policy, [m], and what they
  // should be, which is NaN for rows that are left out; from any thread; may be empty.
  std::function<void(std::size_t policy, std::int64_t channel, std::span<const double> reference,
                     std::span<const double> result)>
      outputs;
};

// One output channel and the statistics of its errors alone.
struct ChannelMeasurement {
  std::int64_t channel = 0;
  ErrorStatistics statistics;
};

// One policy on one matrix.
struct Measurement {
  NamedPolicy policy;
  ErrorStatistics statistics;
  // First indices are flat, in the order of storage, of what comes first in the order of channels.
  QuantizationCounts weight_counts;
  QuantizationCounts activation_counts;
  StoredBytes bytes;  // Of the weights.
  // The channels with the lowest SQNR, lowest first; see WorstMetric().
  std::vector<ChannelMeasurement> worst;
};

// The metric by which channels are worst: sqnr_db. A large error of a large channel is no fault.
[[nodiscard]] const Metric& WorstMetric();

// Elements left out of all metrics, since no reference exists for them.
struct NonFinite {
  std::int64_t nan_count = 0;
  std::int64_t inf_count = 0;
  std::int64_t first_index = -1;    // Flat, in the order of storage.
  std::int64_t lines_left_out = 0;  // Output channels of w; rows of x.
};

struct MeasureResult {
  std::int64_t m = 0, k = 0, n = 0;
  std::string weights_tensor;
  std::string stored_dtype;
  KAxis k_axis = KAxis::kFirst;
  NonFinite weights_nonfinite;
  NonFinite activations_nonfinite;
  std::vector<Measurement> rows;
};

// Policies on a weight matrix, unrounded and against float64. Bits do not depend on threads or
// instruction set. Errors as OpenCheckpoint and FindMatrix; kInvalidArgument for a policy whose
// product is not supported, or bytes that do not fit a shape; kFailedPrecondition for a wrong dtype
// or rank, a K that differs from the activations', or a matrix that a convention refuses.
[[nodiscard]] Result<MeasureResult> Measure(const MeasureOptions& options);

// ---- One weight matrix, as other packages quantise it ------------------------------------------

// Who quantised a row of a comparison.
struct ComparedConvention {
  const Convention* convention = nullptr;  // Null: our own, as quantization.h has it.
  // Why the package does not take this matrix, or has no such granularity; empty where it does.
  std::string refused;
  // The first row with the same values, -0 and 0 being the same; its own index if there is none.
  std::size_t same_values_as = 0;
};

// Two rows whose dequantised weights differ.
struct ValueDifference {
  std::size_t first = 0, second = 0;        // Rows, each the first with its values.
  std::int64_t count = 0;                   // Elements that differ.
  std::int64_t k = 0, n = 0;                // The first of them, channel after channel,
  float first_value = 0, second_value = 0;  // and what it became.
  double max_abs_difference = 0;            // Infinite or NaN where a value is.
};

struct ConventionComparison {
  MeasureResult result;  // A row that was refused has a policy and no numbers.
  std::vector<ComparedConvention> conventions;  // Of each row of the result.
  std::vector<ValueDifference> differences;     // By first, then by second.
};

// Quantises a matrix as `options` say, which have one policy with scaled weights (or none:
// w=int8/channel), and as each row of AllConventions() with that format does, under the policy's
// granularity. Output channels with NaN or infinity are left out. Errors as Measure; also
// kInvalidArgument for a policy that follows a convention itself or has no scales.
[[nodiscard]] Result<ConventionComparison> CompareConventions(const MeasureOptions& options);

// ---- What a device computed --------------------------------------------------------------------

// How exactly a policy explains a product that a device returned.
struct OutputMatch {
  NamedPolicy policy;
  std::int64_t elements = 0;  // Compared: not of rows and channels with NaN or infinity.
  std::int64_t equal = 0;     // Zeros of either sign are equal, and so are NaNs.
  double max_ulp = 0;  // The largest difference, in units of the last place of the device's value.
};

struct MatchResult {
  std::int64_t m = 0, k = 0, n = 0;
  std::string output_dtype;
  std::vector<OutputMatch> matches =
      {};                 // Most equal elements first, then the smallest difference.
  std::int64_t best = 0;  // How many share the first place: they cannot be told apart here.
};

// Multiplies the weights and activations that `options` name, which must be those that the device
// had, under each of the options' policies, or, if there are none, under every accumulation, order
// and rounding of float32 operands that is known, and compares with `output`[M, N]. Errors as
// Measure; kFailedPrecondition for an output of another shape.
[[nodiscard]] Result<MatchResult> MatchOutput(const MeasureOptions& options,
                                              const MatrixSource& output);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_EXPERIMENT_H_
