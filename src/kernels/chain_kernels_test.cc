// Holds add_chain to its promise: the bits of the plain chain, whatever arithmetic it chooses.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "src/kernels/kernels.h"
#include "src/kernels/plain.h"
#include "src/numerics/codec.h"
#include "src/numerics/sum_format.h"
#include "tests/support/bfloat16_steps.h"
#include "tests/support/every_instruction_set.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

class ChainKernelTest : public testing::TestWithParam<InstructionSet> {
 protected:
  const Kernels& kernels_ = KernelsFor(GetParam());
};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, ChainKernelTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

enum class Values {
  kNormal,    // Sums that wander.
  kPositive,  // Sums that grow.
  kIntegers,  // Sums that are zero again and again, and many ties.
  kSparse,
  kSmall,    // Near the smallest normal of bfloat16's square root, with subnormal products.
  kLarge,    // Products near the largest.
  kSpread,   // Of all exponents.
  kSpecial,  // Now and then infinity, NaN or -0.
};
constexpr Values kAllValues[] = {Values::kNormal, Values::kPositive, Values::kIntegers,
                                 Values::kSparse, Values::kSmall,    Values::kLarge,
                                 Values::kSpread, Values::kSpecial};

std::vector<float> Factors(std::size_t count, DType dtype, Values values, unsigned seed) {
  const DTypeInfo& info = GetDTypeInfo(dtype);
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal;
  std::vector<float> factors(count);
  for (float& factor : factors) {
    factor = normal(engine);
    switch (values) {
      case Values::kNormal:
        break;
      case Values::kPositive:
        factor = std::fabs(factor);
        break;
      case Values::kIntegers:
        factor = std::nearbyint(factor);
        break;
      case Values::kSparse:
        if (engine() % 8 != 0) factor = engine() % 2 == 0 ? 0.0F : -0.0F;
        break;
      case Values::kSmall:
        factor = std::ldexp(factor, -63 - static_cast<int>(engine() % 6));
        break;
      case Values::kLarge:
        factor = std::ldexp(factor, 60 + static_cast<int>(engine() % 5));
        break;
      case Values::kSpread:
        factor = std::ldexp(factor, static_cast<int>(engine() % 120) - 60);
        break;
      case Values::kSpecial:
        if (engine() % 999 == 0) factor = std::numeric_limits<float>::infinity();
        if (engine() % 999 == 0) factor = std::numeric_limits<float>::quiet_NaN();
        if (engine() % 9 == 0) factor = -0.0F;
        break;
    }
    if (dtype != DType::kFloat32) factor = DecodeFloat32(info, EncodeFloat32(info, factor));
  }
  return factors;
}

const SumFormat kBFloat16Sum = SumFormatOf(DType::kBFloat16);

double PlainChain(const float* x, const float* panel, const ChainSteps& steps,
                  const SumFormat& format, bool rounds_products) {
  double sum = 0;
  for (std::int64_t i = 0; i < steps.count; ++i) {
    const std::int64_t k = (steps.swaps && (i ^ 1) < steps.count ? i ^ 1 : i) * steps.stride;
    double product = static_cast<double>(x[k]) * static_cast<double>(panel[k * kPanelColumns]);
    if (rounds_products) product = plain::RoundToSum(product, format);
    sum = plain::AddToSum(sum, product, format);
  }
  return sum;
}

struct Work {
  std::int64_t rows;
  std::int64_t depth;
  ChainSteps steps;
};
// Rows in tiles and alone, steps in chunks and spans, and a rest of each.
constexpr Work kWorks[] = {{6, 33, {.count = 33}},
                           {4, 1100, {.count = 1100}},
                           {1, 64, {.count = 64}},
                           {5, 96, {.count = 48, .stride = 2}},
                           {4, 41, {.count = 41, .swaps = true}},
                           {3, 1, {.count = 1}},
                           {2, 4, {.count = 0}}};

TEST_P(ChainKernelTest, GivesThePlainChainsBits) {
  constexpr DType kOperands[] = {DType::kBFloat16, DType::kFloat16, DType::kFloat8E4M3Fn,
                                 DType::kFloat32};
  constexpr DType kSums[] = {DType::kBFloat16,       DType::kFloat16,      DType::kTf32,
                             DType::kFloat32,        DType::kFloat8E4M3Fn, DType::kFloat8E5M2,
                             DType::kFloat8E4M3Fnuz, DType::kFloat6E2M3Fn, DType::kFloat64};
  for (const DType operands : kOperands) {
    for (const Values values : kAllValues) {
      for (const Work& work : kWorks) {
        const auto x =
            Factors(static_cast<std::size_t>(work.rows * work.depth), operands, values, 1);
        const auto panel =
            Factors(static_cast<std::size_t>(work.depth * kPanelColumns), operands, values, 2);
        for (const DType dtype : kSums) {
          const SumFormat format = SumFormatOf(dtype);
          for (const bool rounds_products : {false, true}) {
            std::vector<double> sums(static_cast<std::size_t>(work.rows * kPanelColumns));
            kernels_.add_chain(x.data(), work.rows, work.depth, panel.data(), work.steps, format,
                               rounds_products, sums.data());
            for (std::int64_t i = 0; i < work.rows * kPanelColumns; i += 23 * test::kStride) {
              const std::int64_t m = i / kPanelColumns;
              const std::int64_t n = i % kPanelColumns;
              const double want = PlainChain(x.data() + m * work.depth, panel.data() + n,
                                             work.steps, format, rounds_products);
              const double got = sums[static_cast<std::size_t>(i)];
              ASSERT_TRUE(std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(want) ||
                          (std::isnan(got) && std::isnan(want)))
                  << DTypeName(dtype) << " of " << DTypeName(operands) << ", values "
                  << static_cast<int>(values) << ", " << work.steps.count << " steps, separate "
                  << rounds_products << ": " << got << ", not " << want;
            }
          }
        }
      }
    }
  }
}

TEST(PlainTest, BFloat16SumStagnatesAt256) {
  constexpr std::int64_t kDepth = 4096;
  const std::vector<float> ones(static_cast<std::size_t>(kDepth * kPanelColumns), 1.0F);
  EXPECT_EQ(PlainChain(ones.data(), ones.data(), {.count = kDepth}, kBFloat16Sum, false), 256.0);
}

TEST(PlainTest, AddToSumRoundsTheExactSum) {
  const auto add = [](double sum, double term) { return plain::AddToSum(sum, term, kBFloat16Sum); };
  // 1 + 2^-8 is a tie between 1 and 1 + 2^-7; what lies below the last bit of a float64 decides it.
  EXPECT_EQ(add(1.0, 0x1p-8), 1.0);
  EXPECT_EQ(add(0x1p-100, 1.0 + 0x1p-8), 1.0 + 0x1p-7);
  EXPECT_EQ(add(-0x1p-100, 1.0 + 0x1p-8), 1.0);
  EXPECT_EQ(add(-0x1p-100, 1.0 + 3 * 0x1p-8), 1.0 + 0x1p-7);
  EXPECT_EQ(add(0.0, 0x1p-133), 0x1p-133);       // The smallest subnormal.
  EXPECT_EQ(add(0.0, 0x1p-134), 0.0);            // Half of it: a tie.
  EXPECT_EQ(add(0x1p-133, 0x1p-134), 0x1p-132);  // 1.5: a tie to even.
  EXPECT_EQ(add(0x1.FEp127, 0x1p119), std::numeric_limits<double>::infinity());
  EXPECT_EQ(add(0x1.FEp127, 0x1.FCp118), 0x1.FEp127);
}

TEST_P(ChainKernelTest, BFloat16StepsRoundOnce) {
  ExpectExactBFloat16Steps(kernels_, 7 * test::kStride);
}

}  // namespace
}  // namespace narrowgauge::internal
