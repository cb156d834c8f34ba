#include "src/backends/emulated.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "narrowgauge/precision_policy.h"
#include "src/numerics/codec.h"
#include "tests/support/every_instruction_set.h"
#include "tests/support/test_data.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

constexpr auto kStride = static_cast<std::size_t>(test::kStride);

enum class Values { kOrdinary, kExtreme };

int SmallestExponent(DType dtype) { return 1 - GetDTypeInfo(dtype).exponent_bias; }

// Values of a type: near 1, or of all magnitudes with zeros, subnormals and, now and then,
// infinities.
std::vector<float> Operand(std::size_t count, DType dtype, Values values, unsigned seed) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> operand(count);
  const bool is_integer = info.kind == DTypeKind::kInteger;
  for (float& value : operand) {
    value = normal(engine);
    if (is_integer) {
      value = DecodeFloat32(info, engine() % (1U << info.total_bits));
      continue;
    }
    if (values == Values::kExtreme) {
      value = std::ldexp(value, static_cast<int>(engine() % 270) - 140);
      if (engine() % 50 == 0) value = 0;
      if (engine() % 500 == 0) value = std::numeric_limits<float>::infinity();
    }
    value = DecodeFloat32(info, EncodeFloat32(info, value));
  }
  return operand;
}

struct Case {
  std::string_view accumulation;
  DType x;
  DType w;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const std::string_view text :
       {"float64",
        "float32",
        "float32,fma=separate",
        "bfloat16",
        "bfloat16,fma=separate",
        "float16",
        "tf32",
        "float8_e4m3fn",
        "float8_e5m2",
        "float8_e4m3fnuz",
        "float6_e3m2fn",
        "float32/pairwise",
        "bfloat16/pairwise",
        "bfloat16/pairwise,fma=separate",
        "bfloat16/block:8,inner=float32",
        "bfloat16/block:3,inner=float32,handoff=round",
        "float32/pairwise+block:16",
        "float16/block:16+pairwise",
        "float32/split-k:4",
        "float32/split-k:7,partial=bfloat16",
        "bfloat16/split-k:2+block:8,inner=float32,partial=float32,reduce=float16",
        "float32/aligned:16,bits=25",
        "float16/aligned:4,bits=23",
        "e8m13/aligned:32,bits=13",
        "e8m13/aligned:32,bits=13,promote=64",
        "float32/block:64+aligned:8,inner=e8m13,bits=13"}) {
    cases.push_back({text, DType::kBFloat16, DType::kBFloat16});
    cases.push_back({text, DType::kFloat32, DType::kFloat32});
  }
  for (const std::string_view text :
       {"float32,passes=3", "float32,passes=6", "float32,passes=9", "float32,passes=3,parts=tf32",
        "bfloat16/block:8,inner=float32,passes=3,split=nearest", "float32/split-k:3,passes=3",
        "nvidia/a100,passes=3", "nvidia/h100,passes=3,parts=tf32", "tpu/v5e,passes=3",
        "tpu/v6e,passes=6"}) {
    cases.push_back({text, DType::kFloat32, DType::kFloat32});
  }
  for (const std::string_view text :
       {"int32", "int32,overflow=wrap", "int32,overflow=saturate16"}) {
    cases.push_back({text, DType::kUint8, DType::kInt8});
    cases.push_back({text, DType::kInt4, DType::kInt8});
  }
  for (const HardwareModel& hardware : AllHardware()) {
    for (const HardwarePath& path : PathsOf(hardware)) {
      cases.push_back({hardware.name, path.x, path.w});
    }
  }
  return cases;
}

class EmulatedTest : public testing::TestWithParam<InstructionSet> {};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, EmulatedTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(EmulatedTest, GivesThePlainDotsBits) {
  for (const auto& [text, x_type, w_type] : Cases()) {
    const auto policy = ParsePolicy("acc=" + std::string(text));
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    const auto model = ModelOf(policy->accumulation, x_type, w_type);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    const FactorExponents exponents = {.x = SmallestExponent(x_type),
                                       .w = SmallestExponent(w_type)};
    for (const Values values : {Values::kOrdinary, Values::kExtreme}) {
      for (const std::size_t depth : {0U, 1U, 2U, 31U, 130U, 258U}) {
        constexpr std::size_t kRows = 2;
        const auto x = Operand(kRows * depth, x_type, values, 1);
        const auto panel =
            Operand(depth * static_cast<std::size_t>(kPanelColumns), w_type, values, 2);
        std::vector<double> got(kRows * static_cast<std::size_t>(kPanelColumns));
        EmulatePanel(KernelsFor(GetParam()), *model, exponents, x.data(), kRows,
                     static_cast<std::int64_t>(depth), panel.data(), got.data());
        for (std::size_t m = 0; m < kRows; ++m) {
          for (std::size_t n = 0; n < static_cast<std::size_t>(kPanelColumns); n += 7 * kStride) {
            std::vector<float> w(depth);
            for (std::size_t k = 0; k < depth; ++k) {
              w[k] = panel[k * static_cast<std::size_t>(kPanelColumns) + n];
            }
            const double want = PlainDot(*model, {x.data() + m * depth, depth}, w, exponents);
            const double value = got[m * static_cast<std::size_t>(kPanelColumns) + n];
            if (std::isnan(want) && std::isnan(value)) continue;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(want))
                << text << " of " << DTypeName(x_type) << ", K = " << depth << ": " << value
                << ", not " << want;
          }
        }
      }
    }
  }
}

// The tutorial's product with accumulators of bfloat16, each array by its hash.
TEST_P(EmulatedTest, Bfloat16AccumulatorsAreTheGoldenOnes) {
  std::map<std::string, std::string> policies = {
      {"sequential, exact products", "bfloat16"},
      {"sequential, products rounded to bf16", "bfloat16,fma=separate"},
      {"pairwise tree, exact products", "bfloat16/pairwise"},
      {"pairwise tree, products rounded to bf16", "bfloat16/pairwise,fma=separate"}};
  for (const int block : {4, 8, 16, 32, 64, 128, 256}) {
    const std::string name = "blocks of " + std::to_string(block) + " summed in fp32 from 0, ";
    const std::string text = "bfloat16/block:" + std::to_string(block) + ",inner=float32";
    policies[name + "bf16 add per block"] = text;
    policies[name + "block sum rounded to bf16, bf16 add per block"] = text + ",handoff=round";
  }
  const auto rounded = [](std::vector<float> values) {
    const DTypeInfo& info = GetDTypeInfo(DType::kBFloat16);
    for (float& value : values) value = DecodeFloat32(info, EncodeFloat32(info, value));
    return values;
  };
  const auto x = rounded(test::ReadNpy<float>("golden/seed0_x.npy"));
  const auto w = rounded(test::ReadNpy<float>("golden/seed0_w.npy"));
  constexpr std::int64_t kRows = 64;
  constexpr std::int64_t kDepth = 256;
  const auto golden =
      nlohmann::json::parse(test::ReadBytes(test::DataPath("golden/bf16_accumulators.json")));
  EXPECT_EQ(golden.size(), policies.size());
  for (const auto& entry : golden) {
    const std::string name = entry["policy"];
    const auto policy = ParsePolicy("acc=" + policies.at(name));
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    const auto model = ModelOf(policy->accumulation, DType::kBFloat16, DType::kBFloat16);
    std::vector<double> sums(static_cast<std::size_t>(kRows * kPanelColumns));
    EmulatePanel(KernelsFor(GetParam()), *model, {}, x.data(), kRows, kDepth, w.data(),
                 sums.data());
    const std::vector<float> result(sums.begin(), sums.end());
    EXPECT_EQ(
        test::Sha256({reinterpret_cast<const char*>(result.data()), result.size() * sizeof(float)}),
        entry["sha256_of_result_le_f32"])
        << name;
  }
}

}  // namespace
}  // namespace narrowgauge::internal
