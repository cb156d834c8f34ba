#ifndef NARROWGAUGE_BENCHMARKS_PEERS_ONEDNN_MATMUL_H_
#define NARROWGAUGE_BENCHMARKS_PEERS_ONEDNN_MATMUL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "narrowgauge/dtype.h"
#include "narrowgauge/instruction_set.h"

namespace narrowgauge {

// One product by oneDNN: x[M, K] * w[K, N], both of one type, into float32 or int32.
struct OneDnnProduct {
  DType dtype = DType::kFloat32;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t channels = 0;
  const std::byte* x = nullptr;
  const std::byte* w = nullptr;
  std::byte* out = nullptr;
};

class OneDnnMatmul {
 public:
  virtual ~OneDnnMatmul() = default;
  virtual void Run(int threads) = 0;
};

// "oneDNN 2.6.3", or "" if this was built without.
[[nodiscard]] std::string OneDnnVersion();

// To be called first: what oneDNN may use at most.
void LimitOneDnn(InstructionSet isa);

// Puts w into the layout that oneDNN likes best. Null if it has no such product here.
[[nodiscard]] std::unique_ptr<OneDnnMatmul> MakeOneDnnMatmul(const OneDnnProduct& product);

}  // namespace narrowgauge

#endif  // NARROWGAUGE_BENCHMARKS_PEERS_ONEDNN_MATMUL_H_
