// Products of 256 x 4096 and 4096 x 256 as accumulators sum them, packing included, on one core;
// and how the time grows with the shape. accumulation_benchmark.py sets some of them beside what
// others take.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "narrowgauge/precision_policy.h"
#include "src/backends/emulated.h"
#include "src/backends/plain_dot.h"
#include "src/numerics/codec.h"

namespace narrowgauge {
namespace {

using internal::kPanelColumns;

struct ProductShape {
  std::int64_t m, k, n;
};
constexpr ProductShape kShape = {256, 4096, 256};

// The i-th factor: -1 to 1 in steps of 1/128, which have 8 significant bits; peers/accumulation.py
// has the same.
float Factor(std::uint32_t i) {
  std::uint32_t hash = i * 2654435761U;
  hash = (hash ^ (hash >> 15)) * 2246822519U;
  return (static_cast<float>(hash >> 24) - 128.0F) / 128.0F;
}

// `count` factors from the i-th on, in the dtype.
std::vector<float> Factors(std::int64_t first, std::int64_t count, DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  std::vector<float> factors(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const float factor = Factor(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i));
    factors[i] = internal::DecodeFloat32(info, internal::EncodeFloat32(info, factor));
  }
  return factors;
}

struct Case {
  std::string accumulation;
  DType factors;
  InstructionSet isa;
  ProductShape shape = kShape;
};

class Product {
 public:
  explicit Product(const Case& c)
      : shape_(c.shape),
        kernels_(internal::KernelsFor(c.isa)),
        model_(
            ModelOf(ParsePolicy("acc=" + c.accumulation).value().accumulation, c.factors, c.factors)
                .value()),
        exponent_(1 - GetDTypeInfo(c.factors).exponent_bias),
        x_(Factors(0, c.shape.m * c.shape.k, c.factors)),
        w_(Factors(c.shape.m * c.shape.k, c.shape.k * c.shape.n, c.factors)),
        panel_(static_cast<std::size_t>(c.shape.k * kPanelColumns)),
        sums_(static_cast<std::size_t>(c.shape.m * kPanelColumns)),
        out_(static_cast<std::size_t>(c.shape.m * c.shape.n)) {}

  void Run() {
    for (std::int64_t first = 0; first < shape_.n; first += kPanelColumns) {
      const std::int64_t columns = std::min(kPanelColumns, shape_.n - first);
      for (std::int64_t k = 0; k < shape_.k; ++k) {
        std::copy_n(w_.data() + k * shape_.n + first, columns, panel_.data() + k * kPanelColumns);
      }
      internal::EmulatePanel(kernels_, model_, {exponent_, exponent_}, x_.data(), shape_.m,
                             shape_.k, panel_.data(), sums_.data());
      for (std::int64_t m = 0; m < shape_.m; ++m) {
        for (std::int64_t n = 0; n < columns; ++n) {
          out_[static_cast<std::size_t>(m * shape_.n + first + n)] =
              static_cast<float>(sums_[static_cast<std::size_t>(m * kPanelColumns + n)]);
        }
      }
    }
  }

  // Whether some results are those of the plain sum.
  [[nodiscard]] bool IsRight() const {
    for (std::int64_t i = 0; i < shape_.m * shape_.n; i += shape_.m * shape_.n / 16 + 1) {
      const std::int64_t m = i / shape_.n;
      const std::int64_t n = i % shape_.n;
      const auto depth = static_cast<std::size_t>(shape_.k);
      std::vector<float> w(depth);
      for (std::size_t k = 0; k < depth; ++k)
        w[k] = w_[k * static_cast<std::size_t>(shape_.n) + static_cast<std::size_t>(n)];
      const double want =
          internal::PlainDot(model_, {x_.data() + m * shape_.k, depth}, w, {exponent_, exponent_});
      if (out_[static_cast<std::size_t>(i)] != static_cast<float>(want)) return false;
    }
    return true;
  }

  // Of all bits of the result: sum (2 i + 1) bits[i] modulo 2^32.
  [[nodiscard]] std::uint32_t Checksum() const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < out_.size(); ++i) {
      sum += (2 * static_cast<std::uint32_t>(i) + 1) * std::bit_cast<std::uint32_t>(out_[i]);
    }
    return sum;
  }

 private:
  ProductShape shape_;
  const internal::Kernels& kernels_;
  DotModel model_;
  int exponent_;
  std::vector<float> x_, w_, panel_;
  std::vector<double> sums_;
  std::vector<float> out_;
};

void Measure(benchmark::State& state, const Case& c) {
  Product product(c);
  product.Run();
  if (!product.IsRight()) {
    state.SkipWithError("not what the plain sum gives");
    return;
  }
  for (auto _ : state) {
    product.Run();
    benchmark::ClobberMemory();
  }
  const double flop = 2.0 * static_cast<double>(c.shape.m * c.shape.k * c.shape.n);
  state.counters["FLOP"] = flop;
  state.counters["FLOP/s"] =
      benchmark::Counter(flop, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["checksum"] = product.Checksum();
}

void Register(const std::string& name, const Case& c) {
  benchmark::RegisterBenchmark(name.c_str(), [c](benchmark::State& state) {
    Measure(state, c);
  })->Unit(benchmark::kMillisecond);
}

void RegisterCases() {
  const std::vector<std::pair<std::string, DType>> accumulations = {
      {"bfloat16", DType::kBFloat16},
      {"bfloat16,fma=separate", DType::kBFloat16},
      {"float16", DType::kFloat16},
      {"float16,fma=separate", DType::kFloat16},
      {"tf32", DType::kTf32},
      {"tf32,fma=separate", DType::kTf32},
      {"float8_e5m2", DType::kFloat8E5M2},
      {"float8_e4m3fn", DType::kFloat8E4M3Fn},
      {"float8_e4m3fn,fma=separate", DType::kFloat8E4M3Fn},
      {"float32", DType::kFloat32},
      {"float32,fma=separate", DType::kFloat32},
      {"float64", DType::kFloat32},
      {"bfloat16/block:128,inner=float32", DType::kBFloat16},
      {"bfloat16/pairwise", DType::kBFloat16},
      {"nvidia/h100", DType::kBFloat16},
      {"amd/cdna3", DType::kBFloat16},
      {"tpu/v5e", DType::kBFloat16}};
  for (const InstructionSet isa : SupportedInstructionSets()) {
    if (isa != InstructionSet::kAvx2 && isa != InstructionSet::kAvx512) continue;
    for (const auto& [accumulation, factors] : accumulations) {
      Register(fmt::format("accumulate/{}/{}/{}", accumulation, DTypeName(factors),
                           InstructionSetName(isa)),
               {accumulation, factors, isa});
    }
  }
  for (const std::int64_t m : {8, 64, 256}) {
    for (const std::int64_t k : {256, 1024, 4096}) {
      for (const std::int64_t n : {64, 256, 1024}) {
        Register(fmt::format("work/bfloat16/{}x{}x{}", m, k, n),
                 {"bfloat16", DType::kBFloat16, SupportedInstructionSets().back(), {m, k, n}});
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge

int main(int argc, char** argv) {
  narrowgauge::RegisterCases();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
