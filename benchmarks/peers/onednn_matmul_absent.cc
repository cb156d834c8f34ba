#include "benchmarks/peers/onednn_matmul.h"

namespace narrowgauge {

std::string OneDnnVersion() { return {}; }

void LimitOneDnn(InstructionSet /*isa*/) {}

std::unique_ptr<OneDnnMatmul> MakeOneDnnMatmul(const OneDnnProduct& /*product*/) { return nullptr; }

}  // namespace narrowgauge
