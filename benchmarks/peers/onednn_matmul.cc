#include "benchmarks/peers/onednn_matmul.h"

#include <fmt/format.h>
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <unordered_map>

namespace narrowgauge {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

std::optional<Type> TypeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return Type::f32;
    case DType::kBFloat16:
      return Type::bf16;
    case DType::kInt8:
      return Type::s8;
    default:  // It refuses float16 and float8 on CPUs like these.
      return std::nullopt;
  }
}

class Matmul : public OneDnnMatmul {
 public:
  // dnnl::error if there is no such product.
  Matmul(const OneDnnProduct& product, Type type) : stream_(engine_) {
    const memory::desc x({product.rows, product.depth}, type, Tag::ab);
    const memory::desc w({product.depth, product.channels}, type, Tag::ab);
    const memory::desc any({product.depth, product.channels}, type, Tag::any);
    const memory::desc out({product.rows, product.channels},
                           type == Type::s8 ? Type::s32 : Type::f32, Tag::ab);
    const dnnl::matmul::primitive_desc description({x, any, out}, engine_);
    matmul_ = dnnl::matmul(description);
    memory stored(w, engine_, const_cast<std::byte*>(product.w));
    memory packed(description.weights_desc(), engine_);
    dnnl::reorder(stored, packed).execute(stream_, stored, packed);
    stream_.wait();
    arguments_ = {{DNNL_ARG_SRC, memory(x, engine_, const_cast<std::byte*>(product.x))},
                  {DNNL_ARG_WEIGHTS, packed},
                  {DNNL_ARG_DST, memory(out, engine_, product.out)}};
  }

  void Run(int threads) override {
    omp_set_num_threads(threads);
    matmul_.execute(stream_, arguments_);
    stream_.wait();
  }

 private:
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

std::string OneDnnVersion() {
  const dnnl_version_t* const version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

void LimitOneDnn(InstructionSet isa) {
  if (isa == InstructionSet::kAvx2) dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx2);
}

std::unique_ptr<OneDnnMatmul> MakeOneDnnMatmul(const OneDnnProduct& product) {
  const std::optional<Type> type = TypeOf(product.dtype);
  if (!type) return nullptr;
  try {
    return std::make_unique<Matmul>(product, *type);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace narrowgauge
