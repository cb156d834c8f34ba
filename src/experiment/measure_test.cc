#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "narrowgauge/experiment.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kChannels = 64;

std::vector<NamedPolicy> WeightPolicies() {
  const auto preset = FindPreset("weights");
  EXPECT_TRUE(preset.has_value());
  return {preset->begin(), preset->end()};
}

void ExpectSame(const ErrorStatistics& a, const ErrorStatistics& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.max_abs, b.max_abs);
  EXPECT_EQ(a.sum_abs.value, b.sum_abs.value);
  EXPECT_EQ(a.sum_squares.value, b.sum_squares.value);
  EXPECT_EQ(a.reference_squares.value, b.reference_squares.value);
}

// The tutorial's w, [K, N], which is also in a file.
class MeasureInMemoryTest : public testing::Test {
 protected:
  MeasureInMemoryTest() : values_(test::ReadNpy<float>("golden/seed0_w.npy")) {}

  [[nodiscard]] MatrixView View(Shape shape, KAxis k_axis) const {
    return {{DType::kFloat32, std::move(shape), std::as_bytes(std::span(values_))}, k_axis};
  }

  std::vector<float> values_;
};

TEST_F(MeasureInMemoryTest, GivesTheNumbersOfTheSameMatrixInAFile) {
  for (const ErrorOf error_of : {ErrorOf::kWeights, ErrorOf::kOutput}) {
    MeasureOptions options;
    options.error_of = error_of;
    options.policies = WeightPolicies();
    options.weights = MatrixSource{test::DataPath("golden/seed0_w.npy"), ""};
    const auto from_file = Measure(options);
    ASSERT_TRUE(from_file.has_value()) << from_file.error().message;

    options.weights.reset();
    options.matrix = View({kDepth, kChannels}, KAxis::kFirst);
    const auto in_memory = Measure(options);
    ASSERT_TRUE(in_memory.has_value()) << in_memory.error().message;
    EXPECT_EQ(in_memory->stored_dtype, "float32");
    EXPECT_EQ(in_memory->k, kDepth);
    EXPECT_EQ(in_memory->n, kChannels);
    ASSERT_EQ(in_memory->rows.size(), from_file->rows.size());
    for (std::size_t p = 0; p < in_memory->rows.size(); ++p) {
      SCOPED_TRACE(in_memory->rows[p].policy.name);
      ExpectSame(in_memory->rows[p].statistics, from_file->rows[p].statistics);
      EXPECT_EQ(in_memory->rows[p].weight_counts, from_file->rows[p].weight_counts);
    }
  }
}

TEST_F(MeasureInMemoryTest, SaysWhatDoesNotFit) {
  const auto message = [&](const MatrixView& matrix) {
    MeasureOptions options;
    options.error_of = ErrorOf::kWeights;
    options.matrix = matrix;
    const auto result = Measure(options);
    return result ? std::string("OK") : result.error().message;
  };
  EXPECT_THAT(message(View({kDepth, kChannels + 1}, KAxis::kLast)),
              HasSubstr("shape [256, 65] of float32: 65536 bytes"));
  EXPECT_THAT(message(View({kDepth * kChannels}, KAxis::kLast)), HasSubstr("two dimensions"));
  MatrixView integers = View({kDepth, kChannels}, KAxis::kLast);
  integers.tensor.dtype = DType::kInt8;
  EXPECT_THAT(message(integers), HasSubstr("a floating one: int8"));
}

}  // namespace
}  // namespace narrowgauge
