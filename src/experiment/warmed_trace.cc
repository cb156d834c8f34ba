#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "narrowgauge/experiment.h"
#include "src/backends/tutorial_step.h"
#include "src/base/atomic_file.h"
#include "src/experiment/step_buffers.h"
#include "src/experiment/trace_directory.h"
#include "src/trace/recorder.h"
#include "src/xplane/from_recording.h"
#include "src/xplane/names.h"
#include "src/xplane/run_directory.h"

namespace narrowgauge {
namespace internal {
namespace {

using std::chrono::steady_clock;

constexpr std::uint16_t kBf16One = 0x3F80;
constexpr std::uint16_t kBf16Exponent = 0x7F80;

// What a step does: a multiplication and an addition for each of size^3; both operands read and the
// result written, each once.
constexpr auto kSize = static_cast<std::int64_t>(Bf16SquareStep::kSize);
constexpr std::int64_t kFlopsPerStep = 2 * kSize * kSize * kSize;
constexpr std::int64_t kBytesPerStep = 3 * kSize * kSize * 2;

// More than a file takes; held to by a test.
constexpr std::uint64_t kFileBytesPerStep = 512;
constexpr std::uint64_t kFileBytesOnce = 8192;

double Milliseconds(steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

bool AllFinite(std::span<const std::uint16_t> x) {
  return std::none_of(x.begin(), x.end(),
                      [](std::uint16_t code) { return (code & kBf16Exponent) == kBf16Exponent; });
}

// x = step(x), again and again.
class Iteration {
 public:
  explicit Iteration(InstructionSet isa)
      : step_(isa), buffers_(Bf16SquareStep::kElements), x_(buffers_.Take(nullptr)) {
    SetOnes();
  }

  [[nodiscard]] std::string_view KernelName() const { return step_.KernelName(); }
  [[nodiscard]] bool Finite() const { return AllFinite(x_); }

  void SetOnes() { std::fill(x_.begin(), x_.end(), kBf16One); }

  // Computes step(x) and drops it; returns how long that took.
  [[nodiscard]] double WarmUpMs() {
    const StepBuffers::Buffer dropped = buffers_.Take(nullptr);
    const auto start = steady_clock::now();
    step_.Run(x_, dropped);
    const auto stop = steady_clock::now();
    buffers_.GiveBack(dropped, nullptr);
    return Milliseconds(stop - start);
  }

  void Advance(std::int64_t step_num, Recorder* recorder) {
    const Scope step(recorder, "step", {{kIsRoot, std::int64_t{1}}, {kStepNum, step_num}});
    const StepBuffers::Buffer next = buffers_.Take(recorder);
    {
      const Scope operation(recorder, "dot_general",
                            {{kTfOp, "step/dot_general:dot_general"},
                             {kFlops, kFlopsPerStep},
                             {kModelFlops, kFlopsPerStep},
                             {kBytesAccessed, kBytesPerStep},
                             {"dtype", "bfloat16"},
                             {"accumulation", "float32"},
                             {"kernel", KernelName()}});
      step_.Run(x_, next);
    }
    buffers_.GiveBack(std::exchange(x_, next), recorder);
  }

 private:
  Bf16SquareStep step_;
  StepBuffers buffers_;
  StepBuffers::Buffer x_;
};

// Returns the first step whose result is not finite, given where `steps` steps have led. What is
// not finite never becomes finite again, so only then are steps repeated, outside any trace.
std::int64_t FirstNonfiniteStep(Iteration& iteration, std::int64_t steps) {
  if (iteration.Finite()) return -1;
  iteration.SetOnes();
  for (std::int64_t i = 0; i < steps; ++i) {
    iteration.Advance(i, nullptr);
    if (!iteration.Finite()) return i;
  }
  return -1;
}

// Runs the experiment and writes the file. Fills in all but what reading it back tells.
Result<CaptureExpectation> Capture(const WarmedTraceOptions& options, AtomicFile& file,
                                   WarmedTrace& trace) {
  Iteration iteration(options.isa);
  trace.kernel = iteration.KernelName();
  trace.warmup_ms = iteration.WarmUpMs();

  Recorder recorder;
  const auto start = steady_clock::now();
  for (std::int64_t i = 0; i < options.steps; ++i) iteration.Advance(i, &recorder);
  trace.steady_ms = Milliseconds(steady_clock::now() - start) / static_cast<double>(options.steps);
  const Recording recording = recorder.Stop();

  trace.first_nonfinite_step = FirstNonfiniteStep(iteration, options.steps);
  return EncodeXSpace(XSpaceFromRecording(recording, trace.host))
      .and_then([&](const std::string& bytes) { return file.Write(bytes); })
      .and_then([&] { return file.Commit(); })
      .map([&] {
        return CaptureExpectation{options.steps, recording.start_ns, recording.stop_ns};
      });
}

}  // namespace
}  // namespace internal

Result<WarmedTrace> CaptureWarmedTrace(const WarmedTraceOptions& options) {
  using namespace internal;
  if (options.steps < 1 || options.steps > kMaxTraceSteps) {
    return MakeError(StatusCode::kInvalidArgument,
                     fmt::format("the number of steps must lie between 1 and {}: {}",
                                 kMaxTraceSteps, options.steps));
  }
  WarmedTrace trace;
  auto directory = ResolveTraceDirectory(options.trace_dir);
  if (!directory) return tl::unexpected(std::move(directory.error()));
  trace.trace_dir = *directory;

  // The directory, the file and its space come before the work, and go with these objects unless
  // all goes well.
  auto run = RunDirectory::Create(trace.trace_dir, std::time(nullptr));
  if (!run) return tl::unexpected(std::move(run.error()));
  trace.run = run->Name();
  trace.host = HostFileStem();
  trace.path = fmt::format("{}/{}.xplane.pb", run->Path(), trace.host);
  const auto expected = AtomicFile::Create(trace.path).and_then([&](AtomicFile&& file) {
    return file
        .Reserve(static_cast<std::uint64_t>(options.steps) * kFileBytesPerStep + kFileBytesOnce)
        .and_then([&] { return Capture(options, file, trace); });
  });
  const auto verified = expected.and_then([&](const CaptureExpectation& expectation) {
    return VerifyCapture(trace.path, expectation);
  });
  if (!verified) {
    unlink(trace.path.c_str());  // It may have been put in place before it was found wanting.
    return tl::unexpected(verified.error());
  }
  trace.verified = *verified;
  run->Keep();
  trace.xplane_count = CountXPlaneFiles(trace.trace_dir);
  return trace;
}

}  // namespace narrowgauge
