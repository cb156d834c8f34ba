#include "src/experiment/structured_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace narrowgauge::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// ---- Exact arithmetic --------------------------------------------------------------------------

// A sum without rounding, as parts that do not overlap: each is added to all by two-sums.
class ExactSum {
 public:
  void Add(double value) {
    std::vector<double> parts;
    for (const double part : parts_) {
      const double sum = value + part;
      const double from_part = sum - value;
      const double lost = (value - (sum - from_part)) + (part - from_part);
      if (lost != 0) parts.push_back(lost);
      value = sum;
    }
    if (value != 0) parts.push_back(value);
    parts_ = std::move(parts);
  }

  // Within a few units of the last place; 0 only if the sum is.
  [[nodiscard]] double Value() const {
    double value = 0;
    for (const double part : parts_) value += part;  // The smallest first.
    return value;
  }

 private:
  std::vector<double> parts_;
};

struct Drawing {
  std::int64_t m, k, n;
  std::vector<float> x, w;

  Drawing(const InputSpec& inputs, std::int64_t rows, std::int64_t depth, std::int64_t channels,
          std::int64_t seed = 0, InstructionSet isa = InstructionSet::kBaseline)
      : m(rows),
        k(depth),
        n(channels),
        x(static_cast<std::size_t>(rows * depth)),
        w(static_cast<std::size_t>(depth * channels)) {
    const auto keys = Split(MakePrngKey(seed), 3);
    DrawOperands(inputs, {m, k, n, x, w, keys[0], keys[1], keys[2], isa});
  }

  // Products of float32 are exact in float64.
  template <typename Take>
  void Products(std::int64_t row, std::int64_t channel, const Take& take) const {
    for (std::int64_t i = 0; i < k; ++i) {
      take(static_cast<double>(x[static_cast<std::size_t>(row * k + i)]) *
           static_cast<double>(w[static_cast<std::size_t>(i * n + channel)]));
    }
  }

  [[nodiscard]] double Dot(std::int64_t row, std::int64_t channel) const {
    ExactSum sum;
    Products(row, channel, [&](double product) { sum.Add(product); });
    return sum.Value();
  }

  [[nodiscard]] double Magnitude(std::int64_t row, std::int64_t channel) const {
    ExactSum sum;
    Products(row, channel, [&](double product) { sum.Add(std::abs(product)); });
    return sum.Value();
  }

  template <typename Check>
  void EachDot(const Check& check) const {
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t channel = 0; channel < n; ++channel) check(row, channel);
    }
  }
};

InputSpec Parsed(const std::string& text) {
  const auto inputs = ParseInputs(text);
  EXPECT_TRUE(inputs.has_value()) << text;
  return inputs.value_or(InputSpec());
}

std::string Refusal(const std::string& text) {
  const auto inputs = ParseInputs(text);
  return inputs ? "accepted" : inputs.error().message;
}

const char* const kExamples[] = {
    "normal", "ones", "same-sign", "cancelling", "ill-conditioned:1000000", "outlier-channels:20"};

// ---- Each kind ---------------------------------------------------------------------------------

TEST(StructuredInputsTest, NormalIsWhatJaxDraws) {
  const Drawing drawing(InputSpec(), 3, 70, 5, 7);
  const auto keys = Split(MakePrngKey(7), 2);
  std::vector<float> x(drawing.x.size());
  std::vector<float> w(drawing.w.size());
  Normal(keys[0], ThreefryLayout::kPartitionable, DefaultNumericsProfile(), x);
  Normal(keys[1], ThreefryLayout::kPartitionable, DefaultNumericsProfile(), w);
  EXPECT_EQ(drawing.x, x);
  EXPECT_EQ(drawing.w, w);
}

TEST(StructuredInputsTest, SumsOfOnesAreK) {
  for (const std::int64_t depth : {0, 1, 2, 1000}) {
    const Drawing drawing(Parsed("ones"), 2, depth, 3);
    drawing.EachDot([&](std::int64_t row, std::int64_t channel) {
      EXPECT_EQ(drawing.Dot(row, channel), static_cast<double>(depth));
    });
  }
}

TEST(StructuredInputsTest, SameSignAreTheMagnitudesOfTheNormals) {
  const Drawing normal(InputSpec(), 3, 200, 4, 1);
  const Drawing drawing(Parsed("same-sign"), 3, 200, 4, 1);
  const auto is_magnitude = [](float magnitude, float value) {
    return std::abs(value) == magnitude && !std::signbit(magnitude);
  };
  EXPECT_TRUE(std::ranges::equal(drawing.x, normal.x, is_magnitude));
  EXPECT_TRUE(std::ranges::equal(drawing.w, normal.w, is_magnitude));
  drawing.EachDot([&](std::int64_t row, std::int64_t channel) {
    EXPECT_EQ(drawing.Dot(row, channel), drawing.Magnitude(row, channel));
  });
}

TEST(StructuredInputsTest, CancellingSumsAreExactlyZero) {
  for (const std::int64_t depth : {0, 1, 2, 3, 64, 1001}) {
    const Drawing drawing(Parsed("cancelling"), 4, depth, 5, depth);
    drawing.EachDot([&](std::int64_t row, std::int64_t channel) {
      EXPECT_EQ(drawing.Dot(row, channel), 0) << depth;
      EXPECT_EQ(drawing.Magnitude(row, channel) > 0, depth > 1) << depth;
    });
    // What is alone, and that only, has no weight.
    EXPECT_EQ(std::ranges::count(drawing.w, 0.0F), depth % 2 * drawing.n) << depth;
  }
}

TEST(StructuredInputsTest, PartnersAreAtRandomPlaces) {
  // Partners in a fixed pattern would cancel within blocks or halves, and some orders would show
  // no error. Half of 1000 pairs are expected across the halves: 500, with a deviation of 11.
  const std::int64_t depth = 2000;
  const Drawing drawing(Parsed("cancelling"), 1, depth, 1);
  std::int64_t across = 0;
  for (std::int64_t a = 0; a < depth / 2; ++a) {
    const float x = drawing.x[static_cast<std::size_t>(a)];
    const float w = drawing.w[static_cast<std::size_t>(a)];
    for (std::int64_t b = depth / 2; b < depth; ++b) {
      if (drawing.x[static_cast<std::size_t>(b)] == x &&
          drawing.w[static_cast<std::size_t>(b)] == -w) {
        ++across;
      }
    }
  }
  EXPECT_NEAR(static_cast<double>(across), 500, 6 * 11);
}

TEST(StructuredInputsTest, ConditionNumbersAreAsAskedFor) {
  for (const double condition : {3.0, 4.0, 100.0, 1e6, 1e12, 1e18}) {
    for (const std::int64_t depth : {3, 4, 5, 64, 1001}) {
      const InputSpec inputs{InputKind::kIllConditioned, condition};
      ASSERT_TRUE(CheckInputs(inputs, {true, true}, depth).has_value());
      const Drawing drawing(inputs, 3, depth, 4, depth);
      drawing.EachDot([&](std::int64_t row, std::int64_t channel) {
        const double found =
            2 * drawing.Magnitude(row, channel) / std::abs(drawing.Dot(row, channel));
        EXPECT_LT(found, condition * kConditionFactor) << depth;
        EXPECT_GT(found, condition / kConditionFactor) << depth;
      });
    }
  }
}

TEST(StructuredInputsTest, RoundedOperandsAreOtherProblems) {
  // As with any ill-conditioned sum, operands of a few bits less have another one altogether.
  Drawing drawing(Parsed("ill-conditioned:1e9"), 2, 500, 3);
  const Drawing exact = drawing;
  for (std::vector<float>* const values : {&drawing.x, &drawing.w}) {
    for (float& value : *values) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      bits &= 0xFFFF0000U;  // bfloat16, cut.
      std::memcpy(&value, &bits, sizeof bits);
    }
  }
  drawing.EachDot([&](std::int64_t row, std::int64_t channel) {
    EXPECT_GT(std::abs(drawing.Dot(row, channel)), 1000 * std::abs(exact.Dot(row, channel)));
  });
}

TEST(StructuredInputsTest, OneKOf128IsAnOutlier) {
  for (const std::int64_t depth : {1, 127, 128, 129, 1000}) {
    const Drawing normal(InputSpec(), 3, depth, 2, 5);
    const Drawing drawing(Parsed("outlier-channels:64"), 3, depth, 2, 5);
    EXPECT_EQ(drawing.w, normal.w);
    std::vector<std::int64_t> outliers;
    for (std::int64_t k = 0; k < depth; ++k) {
      const auto at = [&](std::int64_t m) { return static_cast<std::size_t>(m * depth + k); };
      const bool is_outlier = drawing.x[at(0)] != normal.x[at(0)];
      for (std::int64_t m = 0; m < 3; ++m) {
        EXPECT_EQ(drawing.x[at(m)], normal.x[at(m)] * (is_outlier ? 64 : 1));
      }
      if (is_outlier) outliers.push_back(k / kOutlierSpacing);
    }
    std::vector<std::int64_t> every(static_cast<std::size_t>((depth + 127) / 128));
    for (std::size_t i = 0; i < every.size(); ++i) every[i] = static_cast<std::int64_t>(i);
    EXPECT_EQ(outliers, every) << depth;
  }
}

// ---- All kinds ---------------------------------------------------------------------------------

TEST(StructuredInputsTest, BitsDependOnTheSeedAndNotOnTheInstructionSet) {
  for (const char* const text : kExamples) {
    const InputSpec inputs = Parsed(text);
    const Drawing plain(inputs, 5, 333, 7, 3);
    const Drawing other(inputs, 5, 333, 7, 4);
    EXPECT_EQ(plain.x == other.x, inputs.kind == InputKind::kOnes) << text;
    for (const InstructionSet isa : SupportedInstructionSets()) {
      const Drawing drawing(inputs, 5, 333, 7, 3, isa);
      EXPECT_EQ(drawing.x, plain.x) << text;
      EXPECT_EQ(drawing.w, plain.w) << text;
    }
  }
}

TEST(StructuredInputsTest, AllHaveATextThatReadsBack) {
  ASSERT_EQ(std::size(kExamples), AllInputs().size());
  for (std::size_t i = 0; i < AllInputs().size(); ++i) {
    const InputSpec inputs = Parsed(kExamples[i]);
    EXPECT_EQ(inputs.kind, AllInputs()[i].kind);
    EXPECT_EQ(FormatInputs(inputs), kExamples[i]);
  }
  EXPECT_EQ(Parsed("ill-conditioned:1e6"), Parsed("ill-conditioned:1000000"));
  EXPECT_EQ(Parsed(FormatInputs({InputKind::kIllConditioned, 1e25})).parameter, 1e25);
}

TEST(StructuredInputsTest, TextsThatMakeNoSenseAreRefusedWithWords) {
  EXPECT_THAT(Refusal("cancelin"), AllOf(HasSubstr("same-sign"), HasSubstr("nearest: cancelling")));
  EXPECT_THAT(Refusal(""), HasSubstr("ill-conditioned"));
  EXPECT_THAT(Refusal("ones:3"), HasSubstr("takes no parameter: \"ones:3\""));
  for (const char* const text :
       {"ill-conditioned", "ill-conditioned:", "ill-conditioned:x", "ill-conditioned:2",
        "ill-conditioned:1e27", "ill-conditioned:nan", "ill-conditioned:inf",
        "ill-conditioned:1e6x", "ill-conditioned:-5"}) {
    EXPECT_THAT(Refusal(text), HasSubstr("ill-conditioned:C takes a number from 3 to 1.55e+26"));
  }
  EXPECT_THAT(Refusal("outlier-channels:0.5"), HasSubstr("from 1 to 1e+30"));
}

TEST(StructuredInputsTest, WhatCannotBeMetIsRefused) {
  const auto refusal = [](const std::string& text, Drawn drawn, std::int64_t depth) {
    const auto checked = CheckInputs(Parsed(text), drawn, depth);
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_EQ(refusal("normal", {false, false}, 1), "accepted");
  EXPECT_EQ(refusal("ones", {false, true}, 1), "accepted");
  EXPECT_THAT(refusal("ones", {false, false}, 1), HasSubstr("none is drawn"));
  EXPECT_THAT(refusal("cancelling", {true, false}, 8), HasSubstr("together"));
  EXPECT_THAT(refusal("outlier-channels:9", {false, true}, 8), HasSubstr("activations"));
  EXPECT_THAT(refusal("ill-conditioned:9", {true, true}, 2), HasSubstr("K of 3 or more"));
  EXPECT_EQ(refusal("ill-conditioned:9e18", {true, true}, 4096), "accepted");
  EXPECT_THAT(refusal("ill-conditioned:1e19", {true, true}, 4096), HasSubstr("9.22e+18"));
}

}  // namespace
}  // namespace narrowgauge::internal
