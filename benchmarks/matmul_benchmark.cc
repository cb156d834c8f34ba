// Native products with one and two threads, beside oneDNN where it was found, in turns. w is packed
// before the clock starts, as oneDNN's is; "whole_us" packs it each time. NARROWGAUGE_ISA limits
// both sides.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "benchmarks/huge_array.h"
#include "benchmarks/peaks.h"
#include "benchmarks/peers/onednn_matmul.h"
#include "benchmarks/turns.h"
#include "src/backends/native_matmul.h"
#include "src/numerics/codec.h"
#include "src/numerics/widen.h"

namespace narrowgauge {
namespace {

using internal::KernelsFor;
using internal::NativeKernel;
using internal::NativeOutput;
using internal::NativeWeights;
using internal::WeightAxes;

constexpr int kTurns = 15;
constexpr double kSecondsOfATurn = 4e-3;  // Short products are repeated for so long.
constexpr std::chrono::milliseconds kPause{
    3};  // OpenMP's threads spin for a while after their work.
constexpr std::int64_t kSample = 64;

struct ProductShape {
  std::int64_t rows, depth, channels;
};
constexpr ProductShape kShapes[] = {
    {64, 256, 64}, {256, 256, 256}, {1024, 1024, 1024}, {4096, 4096, 64}, {1, 4096, 4096}};
constexpr DType kTypes[] = {DType::kFloat32, DType::kBFloat16, DType::kInt8, DType::kFloat8E4M3Fn,
                            DType::kFloat16};

// The fastest kernel for operands of a type, whatever the order of its sums.
const NativeKernel& KernelFor(InstructionSet isa, DType dtype) {
  using enum NativePromise;
  const NativeKernel* found = nullptr;
  for (const NativePromise promise : {kFloat32Chain, kAvx512Bf16, kInt32}) {
    const auto* const kernel = internal::FindNativeTile(isa, dtype, dtype, promise);
    if (kernel != nullptr) found = kernel;
  }
  return *found;
}

// What the multiply-adds alone would take.
double PeakSeconds(const NativeKernel& kernel, double operations, int threads) {
  const std::string_view name = kernel.info.name == "vdpbf16ps"              ? "vdpbf16ps"
                                : kernel.info.name == "vpdpbusd"             ? "avx512_vpdpbusd"
                                : kernel.info.name == "vpmaddwd"             ? "avx2_vpmaddwd"
                                : kernel.info.isa == InstructionSet::kAvx512 ? "avx512_fma_float32"
                                                                             : "avx2_fma_float32";
  for (const Peak& peak : AllPeaks()) {
    if (peak.name != name) continue;
    const double seconds = SecondsOf([&] {
      for (int i = 0; i < 20; ++i) peak.run();
    });
    return seconds / 20 / peak.operations * operations / threads;
  }
  return 0;
}

class Product {
 public:
  Product(InstructionSet isa, DType dtype, const ProductShape& shape)
      : shape_(shape),
        dtype_(dtype),
        kernel_(KernelFor(isa, dtype)),
        kernels_(KernelsFor(isa)),
        x_(Bytes(shape.rows * shape.depth)),
        w_(Bytes(shape.depth * shape.channels)),
        out_(static_cast<std::size_t>(shape.rows * shape.channels)),
        peer_out_(out_.Span().size()) {
    std::mt19937 engine(1);
    for (const auto& operand : {x_.Span(), w_.Span()}) Fill(operand, engine);
    packed_.emplace(Packed(1));
    peer_ = MakeOneDnnMatmul({.dtype = dtype,
                              .rows = shape.rows,
                              .depth = shape.depth,
                              .channels = shape.channels,
                              .x = x_.Span().data(),
                              .w = w_.Span().data(),
                              .out = std::as_writable_bytes(peer_out_.Span()).data()});
  }

  void Run(int threads) { Multiply(*packed_, threads); }
  void RunWhole(int threads) { Multiply(Packed(threads), threads); }
  [[nodiscard]] OneDnnMatmul* Peer() const { return peer_.get(); }
  [[nodiscard]] const NativeKernel& Kernel() const { return kernel_; }

  // Whether a sample of outputs is what the kernel promises: its bits, or for a unit's order, which
  // native_matmul_test.cc checks, and for oneDNN, whose order is its own, within the error bound of
  // any order.
  [[nodiscard]] bool IsRight() const {
    return SampleIs(out_, kernel_.info.promise == NativePromise::kAvx512Bf16);
  }
  [[nodiscard]] bool PeerIsRight() const {
    return SampleIs(peer_out_, kernel_.info.promise != NativePromise::kInt32);
  }

 private:
  [[nodiscard]] std::size_t Bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * StorageBits(GetDTypeInfo(dtype_)) / 8);
  }

  // Values from -1 to 1, or any int8.
  void Fill(std::span<std::byte> bytes, std::mt19937& engine) const {
    const DTypeInfo& info = GetDTypeInfo(dtype_);
    const std::size_t size = bytes.size() / Bytes(1) > 0 ? Bytes(1) : 1;
    for (std::size_t i = 0; i < bytes.size(); i += size) {
      std::uint64_t code = engine() & 0xFF;
      if (info.kind == DTypeKind::kFloat) {
        code = internal::Encode(info, static_cast<double>(engine()) * 0x1p-31 - 1);
      }
      std::memcpy(bytes.data() + i, &code, size);
    }
  }

  [[nodiscard]] NativeWeights Packed(int threads) const {
    const TensorView w = {dtype_, {shape_.depth, shape_.channels}, w_.Span()};
    return {kernel_, kernels_, w, WeightAxes::kDepthFirst, threads};
  }

  void Multiply(const NativeWeights& weights, int threads) {
    weights.Multiply({dtype_, {shape_.rows, shape_.depth}, x_.Span()}, NativeOutput::kSums,
                     std::as_writable_bytes(out_.Span()), threads);
  }

  [[nodiscard]] bool SampleIs(const HugeArray<std::uint32_t>& out, bool any_order) const {
    const auto depth = static_cast<std::size_t>(shape_.depth);
    std::vector<float> x(depth);
    for (std::int64_t i = 0; i < kSample; ++i) {
      const std::int64_t m = i * 7919 % shape_.rows;
      const std::int64_t n = i * 104729 % shape_.channels;
      internal::WidenToFloat32(dtype_, x_.Span().data(), m * shape_.depth, shape_.depth, x.data());
      double exact = 0;
      double magnitude = 0;
      float chain = 0;
      for (std::int64_t k = 0; k < shape_.depth; ++k) {
        float w = 0;
        internal::WidenToFloat32(dtype_, w_.Span().data(), k * shape_.channels + n, 1, &w);
        const float factor = x[static_cast<std::size_t>(k)];
        const double product = static_cast<double>(factor) * static_cast<double>(w);
        exact += product;
        magnitude += std::abs(product);
        chain = std::fma(factor, w, chain);
      }
      const std::uint32_t bits = out.Span()[static_cast<std::size_t>(m * shape_.channels + n)];
      if (kernel_.info.promise == NativePromise::kInt32) {
        if (static_cast<std::int32_t>(bits) != static_cast<std::int32_t>(exact)) return false;
      } else if (!any_order) {
        if (bits != std::bit_cast<std::uint32_t>(chain)) return false;
      } else {
        const auto value = static_cast<double>(std::bit_cast<float>(bits));
        const double bound = static_cast<double>(shape_.depth) * 0x1p-24 * magnitude;
        if (!(std::abs(value - exact) <= bound)) return false;
      }
    }
    return true;
  }

  ProductShape shape_;
  DType dtype_;
  const NativeKernel& kernel_;
  const internal::Kernels& kernels_;
  HugeArray<std::byte> x_, w_;
  HugeArray<std::uint32_t> out_, peer_out_;
  std::optional<NativeWeights> packed_;
  std::unique_ptr<OneDnnMatmul> peer_;
};

// Seconds of one call in turns, and what becomes of them.
struct Contender {
  std::function<void()> run;
  std::vector<double> seconds = {};
};

void Matmul(benchmark::State& state, InstructionSet isa, DType dtype, const ProductShape& shape,
            int threads) {
  Product product(isa, dtype, shape);
  product.Run(threads);
  if (!product.IsRight()) {
    state.SkipWithError("not the promised bits");
    return;
  }
  std::string label(product.Kernel().info.name);
  const bool has_peer = product.Peer() != nullptr;
  if (has_peer) product.Peer()->Run(threads);
  const bool peer_is_right = has_peer && product.PeerIsRight();
  if (has_peer && !peer_is_right) label += "; oneDNN's results are wrong";

  Contender ours{[&] { product.Run(threads); }};
  Contender whole{[&] { product.RunWhole(threads); }};
  Contender one_thread{[&] { product.Run(1); }};
  Contender peer{[&] { product.Peer()->Run(threads); }};
  std::vector<Contender*> contenders = {&ours, &whole};
  if (peer_is_right) contenders.push_back(&peer);
  if (threads > 1) contenders.push_back(&one_thread);
  const int repeats = 1 + static_cast<int>(kSecondsOfATurn / std::max(1e-7, SecondsOf(ours.run)));
  const double operations = 2.0 * static_cast<double>(shape.rows * shape.depth * shape.channels);
  std::vector<double> peaks;
  for (auto _ : state) {
    peaks.push_back(PeakSeconds(product.Kernel(), operations, threads));
    for (Contender* const contender : contenders) {
      std::this_thread::sleep_for(kPause);
      contender->run();  // What the last one left in the caches is not its.
      contender->seconds.push_back(SecondsOf([&] {
                                     for (int i = 0; i < repeats; ++i) contender->run();
                                   }) /
                                   repeats);
    }
    state.SetIterationTime(ours.seconds.back());
  }
  // The median with its spread, and the ratio of the shortest times, which other programs disturb
  // least.
  const auto report_ratio = [&](const std::string& name, const std::vector<double>& others) {
    std::vector<double> ratios(others.size());
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] = others[i] / ours.seconds[i];
    state.counters[name] = MedianOf(ratios);
    state.counters[name + "_min"] = *std::ranges::min_element(ratios);
    state.counters[name + "_max"] = *std::ranges::max_element(ratios);
    state.counters[name + "_best"] =
        *std::ranges::min_element(others) / *std::ranges::min_element(ours.seconds);
  };
  state.counters["median_us"] = MedianOf(ours.seconds) * 1e6;
  state.counters["whole_us"] = MedianOf(whole.seconds) * 1e6;
  state.counters["GFLOP/s"] = operations / MedianOf(ours.seconds) * 1e-9;
  report_ratio("peak_share", peaks);
  if (peer_is_right) {
    state.counters["oneDNN_GFLOP/s"] = operations / MedianOf(peer.seconds) * 1e-9;
    report_ratio("oneDNN_ratio", peer.seconds);
  }
  if (threads > 1) report_ratio("speedup", one_thread.seconds);
  state.SetLabel(label);
}

void RegisterCases(InstructionSet isa) {
  for (const DType dtype : kTypes) {
    for (const ProductShape& shape : kShapes) {
      for (const int threads : {1, 2}) {
        const std::string name =
            fmt::format("matmul/{}/{}x{}x{}/{}/threads:{}", DTypeName(dtype), shape.rows,
                        shape.depth, shape.channels, InstructionSetName(isa), threads);
        benchmark::RegisterBenchmark(
            name.c_str(),
            [=](benchmark::State& state) { Matmul(state, isa, dtype, shape, threads); })
            ->Unit(benchmark::kMicrosecond)
            ->UseManualTime()
            ->Iterations(kTurns);
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  const auto isa = narrowgauge::SelectInstructionSet();
  if (!isa) {
    std::cerr << "matmul_benchmark: " << isa.error().message << '\n';
    return 2;
  }
  const std::string peer = narrowgauge::OneDnnVersion();
  std::cerr << (peer.empty() ? "without oneDNN: Debian's libdnnl-dev was not found" : peer) << '\n';
  narrowgauge::LimitOneDnn(*isa);
  narrowgauge::RegisterCases(*isa);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
