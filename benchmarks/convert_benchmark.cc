// Conversions between float32 and the codes of a narrower format: 16 Mi elements, one thread. Each
// is read as a share of its stream: a loop that reads and writes as many bytes for each element, in
// vectors of the same instruction set, and computes nothing.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/huge_array.h"
#include "benchmarks/turns.h"
#include "narrowgauge/random.h"
#include "src/kernels/kernels.h"
#include "src/numerics/bulk_convert.h"
#include "src/numerics/codec.h"
#include "src/quantize/mx_codes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace narrowgauge {
namespace {

using internal::CodecConstants;
using internal::Kernels;
using internal::MxCodec;
using internal::ScaledRuns;

constexpr std::size_t kCount = std::size_t{1} << 24;
constexpr std::size_t kChannel = 4096;  // Elements that share a given scale of int8.
constexpr std::size_t kSample = 4 * kChannel;
constexpr int kTurns = 15;

// ---- The stream --------------------------------------------------------------------------------

#if defined(__x86_64__)

// Reads kIn bytes and writes kOut for each element: 4 and 1, 4 and 2, 1 and 4, 2 and 4.
#define NG_STREAM(target_options, Name, bytes, Vector, Load, Store, Combine)                 \
  template <std::size_t kIn, std::size_t kOut>                                               \
  __attribute__((target(target_options))) void Name(const std::byte* in, std::size_t count,  \
                                                    std::byte* out) {                        \
    for (std::size_t i = 0; i < count; i += bytes) {                                         \
      Vector seen[kIn];                                                                      \
      for (std::size_t j = 0; j < kIn; ++j) {                                                \
        seen[j] = Load(reinterpret_cast<const Vector*>(in + i * kIn) + j);                   \
      }                                                                                      \
      if constexpr (kIn > kOut) {                                                            \
        for (std::size_t j = kOut; j < kIn; ++j)                                             \
          seen[j % kOut] = Combine(seen[j % kOut], seen[j]);                                 \
      }                                                                                      \
      for (std::size_t j = 0; j < kOut; ++j) {                                               \
        Store(reinterpret_cast<Vector*>(out + i * kOut) + j, seen[j % std::min(kIn, kOut)]); \
      }                                                                                      \
    }                                                                                        \
  }

NG_STREAM("avx2", StreamAvx2, 32, __m256i, _mm256_loadu_si256, _mm256_storeu_si256,
          _mm256_xor_si256)
NG_STREAM("avx512f", StreamAvx512, 64, __m512i, _mm512_loadu_si512, _mm512_storeu_si512,
          _mm512_xor_si512)

template <std::size_t kIn, std::size_t kOut>
void Stream(InstructionSet isa, const std::byte* in, std::byte* out) {
  if (isa == InstructionSet::kAvx2) return StreamAvx2<kIn, kOut>(in, kCount, out);
  StreamAvx512<kIn, kOut>(in, kCount, out);
}

#else

template <std::size_t kIn, std::size_t kOut>
void Stream(InstructionSet, const std::byte*, std::byte*) {}

#endif

void StreamOf(std::size_t code_bytes, bool encode, InstructionSet isa, const std::byte* in,
              std::byte* out) {
  if (code_bytes == 1) return encode ? Stream<4, 1>(isa, in, out) : Stream<1, 4>(isa, in, out);
  encode ? Stream<4, 2>(isa, in, out) : Stream<2, 4>(isa, in, out);
}

// ---- The data ----------------------------------------------------------------------------------

// Shared by all cases, so that they meet the same pages.
struct Data {
  HugeArray<float> values{kCount};  // What is encoded: normals.
  HugeArray<std::byte> codes{2 * kCount};
  HugeArray<std::byte> scales{kCount / MxCodec::kBlock};
  HugeArray<float> decoded{kCount};
  std::vector<float> channel_scales = std::vector<float>(kCount / kChannel);
};

Data& TheData() {
  static Data data;
  static const bool made = [] {
    Normal(MakePrngKey(0), ThreefryLayout::kPartitionable, DefaultNumericsProfile(),
           data.values.Span(), SupportedInstructionSets().back());
    const Kernels& kernels = internal::KernelsFor(SupportedInstructionSets().back());
    kernels.run_absmax(data.values.Span().data(), kCount, kChannel, data.channel_scales.data());
    for (float& scale : data.channel_scales) scale /= 127;
    return true;
  }();
  static_cast<void>(made);
  return data;
}

// One way of converting, over all the data.
struct Conversion {
  std::string_view name;
  std::size_t code_bytes;
  std::function<void(const Kernels&, Data&)> encode, decode;
  // The code and the value of element i by the reference codec.
  std::function<std::uint64_t(const Data&, std::size_t)> code;
  std::function<float(const Data&, std::size_t)> value;
};

Conversion Cast(std::string_view name, DType dtype) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  const std::size_t bytes = internal::CodeBytes(info.total_bits);
  const auto codes = [bytes](Data& data) { return data.codes.Span().first(kCount * bytes); };
  const auto code = [&info](const Data& data, std::size_t i) {
    return internal::EncodeFloat32(info, data.values.Span()[i], RoundingMode::kNearestEven,
                                   OverflowMode::kNative);
  };
  return {name,
          bytes,
          [&info, codes](const Kernels& kernels, Data& data) {
            internal::EncodeBulk(kernels, info, data.values.Span(), RoundingMode::kNearestEven,
                                 OverflowMode::kNative, codes(data));
          },
          [&info, codes](const Kernels& kernels, Data& data) {
            internal::DecodeBulk(kernels, info, codes(data), data.decoded.Span());
          },
          code,
          [&info, code](const Data& data, std::size_t i) {
            return internal::DecodeFloat32(info, code(data, i));
          }};
}

// int8 of given scales, one for each channel.
Conversion Int8PerChannel() {
  const DTypeInfo& info = GetDTypeInfo(DType::kInt8);
  const auto constants = internal::MakeCodecConstants(info, OverflowMode::kSaturate).value();
  const auto runs = [](const Data& data) {
    return ScaledRuns{.length = kChannel,
                      .factors = data.channel_scales.data(),
                      .scales = data.channel_scales.data()};
  };
  const auto code = [&info](const Data& data, std::size_t i) {
    return internal::EncodeFloat32(info, data.values.Span()[i] / data.channel_scales[i / kChannel],
                                   RoundingMode::kNearestEven, OverflowMode::kSaturate);
  };
  return {"int8/channel",
          1,
          [constants, runs](const Kernels& kernels, Data& data) {
            kernels.encode_scaled(data.values.Span().data(), kCount, runs(data), constants,
                                  data.codes.Span().data());
          },
          [constants, runs](const Kernels& kernels, Data& data) {
            kernels.decode_scaled(data.codes.Span().data(), kCount, runs(data), constants,
                                  data.decoded.Span().data());
          },
          code,
          [&info, code](const Data& data, std::size_t i) {
            return internal::DecodeFloat32(info, code(data, i)) * data.channel_scales[i / kChannel];
          }};
}

// An MX format, scales found: each block's is 2^(floor(log2 absmax) - 8), the codes are
// float8_e4m3fn.
Conversion MxFp8() {
  const QuantizationSpec spec = MakeSpec(BlockFormat::kMxFp8E4M3);
  const DTypeInfo& info = GetDTypeInfo(DType::kFloat8E4M3Fn);
  const auto scale = [](const Data& data, std::size_t i) {
    float absmax = 0;
    const std::size_t first = i / MxCodec::kBlock * MxCodec::kBlock;
    for (std::size_t j = 0; j < MxCodec::kBlock; ++j) {
      absmax = std::max(absmax, std::abs(data.values.Span()[first + j]));
    }
    return std::ldexp(1.0F, std::ilogb(absmax) - 8);
  };
  const auto code = [&info, scale](const Data& data, std::size_t i) {
    return internal::EncodeFloat32(info, data.values.Span()[i] / scale(data, i),
                                   RoundingMode::kNearestEven, OverflowMode::kSaturate);
  };
  return {"mxfp8_e4m3",
          1,
          [spec](const Kernels& kernels, Data& data) {
            MxCodec(spec, kernels)
                .Encode(data.values.Span(), data.codes.Span().first(kCount), data.scales.Span());
          },
          [spec](const Kernels& kernels, Data& data) {
            MxCodec(spec, kernels)
                .Decode(data.codes.Span().first(kCount), data.scales.Span(), data.decoded.Span());
          },
          code,
          [&info, code, scale](const Data& data, std::size_t i) {
            return internal::DecodeFloat32(info, code(data, i)) * scale(data, i);
          }};
}

std::vector<Conversion> Conversions() {
  return {Cast("bfloat16", DType::kBFloat16),
          Cast("float16", DType::kFloat16),
          Cast("float8_e4m3fn", DType::kFloat8E4M3Fn),
          Cast("float8_e5m2", DType::kFloat8E5M2),
          Int8PerChannel(),
          MxFp8(),
          Cast("float8_e4m3fnuz", DType::kFloat8E4M3Fnuz),
          Cast("float8_e3m4", DType::kFloat8E3M4),
          Cast("float6_e3m2fn", DType::kFloat6E3M2Fn),
          Cast("float4_e2m1fn", DType::kFloat4E2M1Fn)};
}

// ---- What is measured --------------------------------------------------------------------------

// Whether codes and values of a sample are those of the reference codec. Encodes everything.
bool IsRight(const Conversion& conversion, const Kernels& kernels, Data& data) {
  conversion.encode(kernels, data);
  conversion.decode(kernels, data);
  for (std::size_t i = 0; i < kSample; ++i) {
    std::uint64_t code = 0;
    std::memcpy(&code, data.codes.Span().data() + i * conversion.code_bytes, conversion.code_bytes);
    if (code != conversion.code(data, i)) return false;
    if (std::bit_cast<std::uint32_t>(data.decoded.Span()[i]) !=
        std::bit_cast<std::uint32_t>(conversion.value(data, i))) {
      return false;
    }
  }
  return true;
}

void Convert(benchmark::State& state, const Conversion& conversion, bool encode,
             InstructionSet isa) {
  Data& data = TheData();
  const Kernels& kernels = internal::KernelsFor(isa);
  if (!IsRight(conversion, kernels, data)) {
    state.SkipWithError("not the codes or values of the reference codec");
    return;
  }
  // The stream reads what the conversion reads and writes where no conversion reads.
  const std::byte* const in =
      encode ? std::as_bytes(data.values.Span()).data() : std::as_bytes(data.codes.Span()).data();
  HugeArray<std::byte> out(kCount * (encode ? conversion.code_bytes : sizeof(float)));
  Turns turns;
  for (auto _ : state) {
    state.SetIterationTime(turns.Take(
        [&] {
          StreamOf(conversion.code_bytes, encode, isa, in, out.Span().data());
          benchmark::ClobberMemory();
        },
        [&] {
          encode ? conversion.encode(kernels, data) : conversion.decode(kernels, data);
          benchmark::ClobberMemory();
        }));
  }
  turns.Report(kCount * (4.0 + static_cast<double>(conversion.code_bytes)), state);
}

void RegisterCases() {
  for (const InstructionSet isa : SupportedInstructionSets()) {
    if (isa != InstructionSet::kAvx2 && isa != InstructionSet::kAvx512) continue;
    for (const Conversion& conversion : Conversions()) {
      for (const bool encode : {true, false}) {
        const std::string name = fmt::format("convert/{}/{}/{}", conversion.name,
                                             encode ? "encode" : "decode", InstructionSetName(isa));
        benchmark::RegisterBenchmark(name.c_str(),
                                     [conversion, encode, isa](benchmark::State& state) {
                                       Convert(state, conversion, encode, isa);
                                     })
            ->Unit(benchmark::kMillisecond)
            ->UseManualTime()
            ->Iterations(kTurns);
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
