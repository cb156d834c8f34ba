// The fast conversions against the reference codec, for every row of the table on every instruction
// set.

#include "src/numerics/bulk_convert.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "narrowgauge/instruction_set.h"
#include "src/numerics/codec.h"
#include "tests/support/every_instruction_set.h"
#include "tests/support/thoroughness.h"

namespace narrowgauge::internal {
namespace {

std::size_t BytesOf(const DTypeInfo& info) {
  return info.total_bits > 32 ? 8 : CodeBytes(info.total_bits);
}

std::uint64_t CodeAt(const std::vector<std::byte>& codes, std::size_t i, std::size_t bytes) {
  std::uint64_t code = 0;
  std::memcpy(&code, codes.data() + i * bytes, bytes);
  return code;
}

std::uint32_t BitsOfFloat(float value) { return std::bit_cast<std::uint32_t>(value); }

class BulkConvertTest : public testing::TestWithParam<DType> {
 protected:
  const DTypeInfo& info_ = GetDTypeInfo(GetParam());

  // Encodes and rounds on every instruction set and compares with the reference.
  void Compare(const std::vector<float>& values, OverflowMode overflow) const {
    std::vector<std::uint64_t> expected(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      expected[i] = EncodeFloat32(info_, values[i], RoundingMode::kNearestEven, overflow);
    }
    for (const InstructionSet isa : test::SetsThatDifferIn(&Kernels::encode)) {
      SCOPED_TRACE(InstructionSetName(isa));
      CompareOn(KernelsFor(isa), values, overflow, expected);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

 private:
  void CompareOn(const Kernels& kernels, const std::vector<float>& values, OverflowMode overflow,
                 const std::vector<std::uint64_t>& expected) const {
    const std::size_t bytes = BytesOf(info_);
    std::vector<std::byte> codes(values.size() * bytes);
    EncodeBulk(kernels, info_, values, RoundingMode::kNearestEven, overflow, codes);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(CodeAt(codes, i, bytes), expected[i]) << Describe(values[i]);
    }
    const auto constants = MakeCodecConstants(info_, overflow);
    if (!constants) return;
    std::vector<float> rounded(values.size());
    kernels.round_values(values.data(), static_cast<std::int64_t>(values.size()), *constants,
                         rounded.data());
    std::vector<float> decoded(values.size());
    DecodeBulk(kernels, info_, codes, decoded);  // Every code has a test of its own.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(decoded[i])) {
        ASSERT_TRUE(std::isnan(rounded[i])) << Describe(values[i]);
      } else {
        ASSERT_EQ(BitsOfFloat(rounded[i]), BitsOfFloat(decoded[i])) << Describe(values[i]);
      }
    }
  }

  static std::string Describe(float value) {
    return fmt::format("{} = 0x{:08X}", value, BitsOfFloat(value));
  }
};

INSTANTIATE_TEST_SUITE_P(EveryFormat, BulkConvertTest,
                         testing::ValuesIn(AllDTypes().begin(), AllDTypes().end()),
                         [](const testing::TestParamInfo<DType>& param) {
                           return std::string(DTypeName(param.param));
                         });

// 2^24 patterns in all, spread evenly over the 2^32: an odd stride meets none twice.
TEST_P(BulkConvertTest, SpreadInputsGiveTheReferencesCodes) {
  constexpr std::uint32_t kSpread = 0x9E3779B1;
  constexpr std::uint32_t kChunk = 1U << 16;
  std::vector<float> values(kChunk);
  for (std::uint32_t start = 0; start < (1U << 24); start += kChunk * test::kStride) {
    for (std::uint32_t i = 0; i < kChunk; ++i) {
      values[i] = std::bit_cast<float>((start + i) * kSpread);
    }
    Compare(values, OverflowMode::kNative);
    if (HasFatalFailure()) return;
  }
}

// The middle of each adjacent pair of values, what lies next to it on both sides, and the values.
TEST_P(BulkConvertTest, MiddlesAndTheirNeighboursGiveTheReferencesCodes) {
  if (info_.total_bits > 19) GTEST_SKIP() << "too many codes to visit all";
  std::vector<float> values;
  const std::uint64_t codes = std::uint64_t{1} << info_.total_bits;
  const auto add_around = [&](float value) {
    values.insert(values.end(),
                  {value, std::nextafter(value, -INFINITY), std::nextafter(value, INFINITY)});
  };
  for (std::uint64_t code = 0; code + 1 < codes; ++code) {
    const double low = Decode(info_, code);
    const double high = Decode(info_, code + 1);
    if (std::isnan(low)) continue;
    add_around(static_cast<float>(low));
    if (std::isfinite(low) && std::isfinite(high)) add_around(static_cast<float>((low + high) / 2));
    // Where overflow begins: half a step above the largest value.
    if (std::isfinite(low) && !std::isfinite(high) && code > 0) {
      add_around(static_cast<float>(low + (low - Decode(info_, code - 1)) / 2));
    }
  }
  Compare(values, OverflowMode::kNative);
  Compare(values, OverflowMode::kSaturate);
}

TEST_P(BulkConvertTest, LastWithinIsTheLastThatDoesNotOverflow) {
  const auto constants = MakeCodecConstants(info_, OverflowMode::kSaturate);
  if (!constants || info_.kind == DTypeKind::kInteger || !info_.has_zero) {
    GTEST_SKIP() << "has none";
  }
  const float last = constants->last_within;
  EXPECT_FALSE(Overflows(info_, static_cast<double>(last)));
  EXPECT_TRUE(Overflows(info_, static_cast<double>(std::nextafter(last, INFINITY))));
}

TEST_P(BulkConvertTest, EveryCodeDecodesAsTheReference) {
  if (info_.total_bits > 19) GTEST_SKIP() << "too many codes to visit all";
  const std::size_t bytes = BytesOf(info_);
  std::vector<std::byte> codes((std::size_t{1} << info_.total_bits) * bytes);
  for (std::uint64_t code = 0; code < (std::uint64_t{1} << info_.total_bits); ++code) {
    std::memcpy(codes.data() + code * bytes, &code, bytes);
  }
  for (const InstructionSet isa : test::SetsThatDifferIn(&Kernels::encode)) {
    SCOPED_TRACE(InstructionSetName(isa));
    std::vector<float> values(std::size_t{1} << info_.total_bits);
    DecodeBulk(KernelsFor(isa), info_, codes, values);
    for (std::size_t code = 0; code < values.size(); ++code) {
      ASSERT_EQ(BitsOfFloat(values[code]), BitsOfFloat(DecodeFloat32(info_, code))) << code;
    }
  }
}

// Every count around whole vectors: nothing behind the end is read or written.
TEST_P(BulkConvertTest, AnyCountIsConverted) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * 0.37F - 5.0F;
    Compare(values, OverflowMode::kSaturate);
  }
}

}  // namespace
}  // namespace narrowgauge::internal
