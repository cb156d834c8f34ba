#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "narrowgauge/experiment.h"
#include "tests/support/every_instruction_set.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge {
namespace {

constexpr std::int64_t kSeeds = 200;  // In each golden table but that of nofma, which has 20.

std::vector<std::uint32_t> Bits(std::span<const float> values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(test::BitsOf(value));
  return bits;
}

class PrecisionTableTest : public testing::TestWithParam<InstructionSet> {
 protected:
  [[nodiscard]] PrecisionTable Evaluate(std::int64_t seed, ThreefryLayout layout) const {
    return EvaluatePrecisionPolicies(seed, {.layout = layout, .isa = GetParam()});
  }
};

INSTANTIATE_TEST_SUITE_P(EverySupportedSet, PrecisionTableTest, test::EveryInstructionSet(),
                         test::InstructionSetTestName);

TEST_P(PrecisionTableTest, EveryArrayOfSeedZeroIsThatOfJax) {
  const PrecisionTable table = Evaluate(0, ThreefryLayout::kPartitionable);
  const PrecisionArrays& arrays = *table.arrays;
  const std::map<std::string, std::span<const float>> floats = {
      {"x", arrays.x},
      {"w", arrays.w},
      {"ref", arrays.reference},
      {"bf16_fp32acc", arrays.bf16_float32},
      {"bf16_bf16acc", arrays.bf16_bf16},
      {"int8_fp32acc", arrays.int8_float32},
      {"scale", arrays.scales}};
  for (const auto& [name, values] : floats) {
    EXPECT_EQ(Bits(values), test::ReadNpy<std::uint32_t>("golden/seed0_" + name + ".npy")) << name;
  }
  EXPECT_THAT(arrays.codes,
              testing::ElementsAreArray(test::ReadNpy<std::int8_t>("golden/seed0_q.npy")));
}

TEST_P(PrecisionTableTest, OperandsOfTheOriginalLayoutAreThoseOfJax) {
  const PrecisionTable table = Evaluate(0, ThreefryLayout::kOriginal);
  const PrecisionArrays& arrays = *table.arrays;
  EXPECT_EQ(Bits(arrays.x), test::ReadNpy<std::uint32_t>("golden/seed0_x_nonpart.npy"));
  EXPECT_EQ(Bits(arrays.w), test::ReadNpy<std::uint32_t>("golden/seed0_w_nonpart.npy"));
}

TEST_P(PrecisionTableTest, TheDefaultProfileIsJaxForEverySeed) {
  const auto golden = test::ReadNpy<std::uint32_t>("golden/tables_jaxlib_0.10.2.npy");
  ASSERT_EQ(golden.size(), 2U * kSeeds * 6U);
  // The plain-C++ kernels take 20 ms a table; a stride keeps their share of the seeds small.
  const std::int64_t stride = GetParam() == InstructionSet::kBaseline ? 10 : test::kStride;
  std::size_t layout_start = 0;
  for (const auto layout : {ThreefryLayout::kPartitionable, ThreefryLayout::kOriginal}) {
    for (std::int64_t seed = 0; seed < kSeeds; seed += stride) {
      const PrecisionTable table = Evaluate(seed, layout);
      for (std::size_t row = 0; row < 3; ++row) {
        const std::size_t at = layout_start + static_cast<std::size_t>(seed) * 6 + 2 * row;
        ASSERT_EQ(test::BitsOf(table.rows[row].max_abs_err), golden[at]) << seed << " " << row;
        ASSERT_EQ(test::BitsOf(table.rows[row].mean_abs_err), golden[at + 1]) << seed << " " << row;
      }
    }
    layout_start += kSeeds * 6;
  }
}

TEST(PrecisionTable, RowsCarryTheTutorialsNamesAndConstants) {
  const PrecisionTable table = EvaluatePrecisionPolicies();
  EXPECT_EQ(table.rows[0].policy, "bf16 (fp32 accum)");
  EXPECT_EQ(table.rows[1].policy, "bf16 (bf16 accum)");
  EXPECT_EQ(table.rows[2].policy, "int8 per-col (fp32 accum)");
  for (const PrecisionRow& row : table.rows) {
    EXPECT_EQ(row.weight_bytes, 16384);
    EXPECT_EQ(row.scale_bytes, 256);
  }
}

// Each profile named after a jaxlib against what that version computed, bit for bit.
class ProfileTableTest : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(RecordedVersions, ProfileTableTest,
                         testing::Values("0.4.38", "0.5.3", "0.6.2", "0.7.2", "0.8.3", "0.9.2",
                                         "0.10.2", "0.10.2-amx", "0.10.2-nofma", "0.11.2",
                                         "0.12.0"),
                         [](const auto& param) {
                           std::string name;
                           for (const char c : param.param) {
                             if (c != '-') name += c == '.' ? 'p' : c;
                           }
                           return "Jaxlib" + name;
                         });

TEST_P(ProfileTableTest, ComputesWhatThatVersionComputed) {
  const auto golden = test::ReadNpy<std::uint32_t>("golden/tables_jaxlib_" + GetParam() + ".npy");
  const NumericsProfile profile = FindNumericsProfile("jaxlib-" + GetParam()).value();
  const InstructionSet isa = SupportedInstructionSets().back();
  const auto seeds = static_cast<std::int64_t>(golden.size() / 12);
  ASSERT_EQ(seeds, profile.multiply_add == MultiplyAdd::kFused ? kSeeds : 20);
  std::size_t at = 0;
  std::size_t different = 0;
  for (const auto layout : {ThreefryLayout::kPartitionable, ThreefryLayout::kOriginal}) {
    for (std::int64_t seed = 0; seed < seeds; ++seed, at += 6) {
      if (seed % test::kStride != 0) continue;
      const auto table =
          EvaluatePrecisionPolicies(seed, {.profile = profile, .layout = layout, .isa = isa});
      for (std::size_t row = 0; row < 3; ++row) {
        different += test::BitsOf(table.rows[row].max_abs_err) != golden[at + 2 * row];
        different += test::BitsOf(table.rows[row].mean_abs_err) != golden[at + 2 * row + 1];
      }
    }
  }
  EXPECT_EQ(at, golden.size());
  EXPECT_EQ(different, 0U) << "of " << golden.size() / test::kStride << " values";
}

// The plain definition stays near: within the largest differences between any two versions.
TEST(PrecisionTable, TheIeeeProfileDiffersOnlyInRounding) {
  const NumericsProfile ieee = FindNumericsProfile("ieee").value();
  for (std::int64_t seed = 0; seed < 20; ++seed) {
    const auto jax = EvaluatePrecisionPolicies(seed, {.isa = SupportedInstructionSets().back()});
    const auto plain = EvaluatePrecisionPolicies(
        seed, {.profile = ieee, .isa = SupportedInstructionSets().back()});
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_NEAR(plain.rows[row].max_abs_err, jax.rows[row].max_abs_err, 1e-5F);
      EXPECT_NEAR(plain.rows[row].mean_abs_err, jax.rows[row].mean_abs_err, 5e-5F);
    }
  }
}

TEST_P(PrecisionTableTest, Bfloat16AccumulatorsAreThoseOfTheGoldenData) {
  const auto rows =
      EvaluateBfloat16Accumulators(*Evaluate(0, ThreefryLayout::kPartitionable).arrays, GetParam());
  std::map<std::string, std::pair<double, double>> golden;
  for (const auto& entry : test::ReadJson("golden/bf16_accumulators.json")) {
    golden[entry["policy"]] = {std::strtod(entry["max"].get<std::string>().c_str(), nullptr),
                               std::strtod(entry["mean"].get<std::string>().c_str(), nullptr)};
  }
  const std::map<std::string_view, std::string> names = {
      {"bf16 sequential", "sequential, exact products"},
      {"bf16 pairwise", "pairwise tree, exact products"},
      {"bf16 between blocks of 8", "blocks of 8 summed in fp32 from 0, bf16 add per block"},
      {"bf16 between blocks of 16", "blocks of 16 summed in fp32 from 0, bf16 add per block"},
      {"bf16 between blocks of 32", "blocks of 32 summed in fp32 from 0, bf16 add per block"},
      {"bf16 between blocks of 128", "blocks of 128 summed in fp32 from 0, bf16 add per block"}};
  ASSERT_EQ(rows.size(), names.size());
  for (const PrecisionRow& row : rows) {
    const auto& [max, mean] = golden.at(names.at(row.policy));
    EXPECT_EQ(static_cast<double>(row.max_abs_err), max) << row.policy;
    EXPECT_EQ(row.mean_abs_err, static_cast<float>(mean)) << row.policy;
  }
}

}  // namespace
}  // namespace narrowgauge
