#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "narrowgauge/report.h"
#include "tests/support/json_data.h"
#include "tests/support/test_data.h"

namespace narrowgauge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(PythonTextTest, AgreesWithPython) {
  const nlohmann::json records = test::ReadJson("golden/python_round_repr.json");
  ASSERT_GT(records.size(), 1000U);
  for (const nlohmann::json& record : records) {
    const double x = std::strtod(record[0].get<std::string>().c_str(), nullptr);
    EXPECT_EQ(PythonRepr(x), record[1].get<std::string>());
    EXPECT_EQ(PythonRepr(PythonRound(x, 5)), record[2].get<std::string>()) << record[1];
  }
}

TEST(PythonTextTest, ReprOfSpecialValues) {
  EXPECT_EQ(PythonRepr(kNaN), "nan");
  EXPECT_EQ(PythonRepr(-kNaN), "nan");
  EXPECT_EQ(PythonRepr(kInfinity), "inf");
  EXPECT_EQ(PythonRepr(-kInfinity), "-inf");
  EXPECT_EQ(PythonRepr(-0.0), "-0.0");
}

TEST(PythonTextTest, RoundsExactTiesToEvenAndOthersByTheirExactValue) {
  EXPECT_EQ(PythonRound(0.5, 0), 0);
  EXPECT_EQ(PythonRound(1.5, 0), 2);
  EXPECT_EQ(PythonRound(2.5, 0), 2);
  EXPECT_EQ(PythonRound(0.015625, 5), 0.01562);
  EXPECT_EQ(PythonRound(2.675, 2), 2.67);  // The float64 lies below the tie.
  EXPECT_EQ(PythonRound(1.005, 2), 1.0);
}

TEST(PythonTextTest, RoundKeepsSpecialValuesHugeOnesAndSigns) {
  for (int digits = 0; digits <= 22; ++digits) {
    EXPECT_TRUE(std::isnan(PythonRound(kNaN, digits)));
    EXPECT_EQ(PythonRound(kInfinity, digits), kInfinity);
    EXPECT_EQ(PythonRound(-kInfinity, digits), -kInfinity);
    EXPECT_EQ(Bits(PythonRound(-0.0, digits)), Bits(-0.0));
    for (const double huge : {0x1p53, 1e22, 1e300, std::numeric_limits<double>::max()}) {
      EXPECT_EQ(PythonRound(huge, digits), huge);
      EXPECT_EQ(PythonRound(-huge, digits), -huge);
    }
    for (const double tiny : {1e-23, 1e-300, std::numeric_limits<double>::denorm_min()}) {
      EXPECT_EQ(Bits(PythonRound(tiny, digits)), Bits(0.0));
      EXPECT_EQ(Bits(PythonRound(-tiny, digits)), Bits(-0.0));
    }
  }
  EXPECT_EQ(PythonRound(6e-23, 22), 1e-22);
}

TEST(PythonTextTest, RoundIsSnprintfThenStrtodForAllDigits) {
  std::mt19937_64 bits(3);
  for (int i = 0; i < 2000; ++i) {
    // Between 2^-60 and 2^60, where digits matter; every fourth is a short binary fraction, a tie.
    const double mantissa =
        static_cast<double>(static_cast<std::int64_t>(bits())) * (i % 4 == 0 ? 0 : 0x1p-63) +
        static_cast<double>(bits() % 4096);
    const double x = std::ldexp(mantissa, static_cast<int>(bits() % 120) - 72);
    for (int digits = 0; digits <= 22; ++digits) {
      char text[400];
      std::snprintf(text, sizeof text, "%.*f", digits, x);
      ASSERT_EQ(Bits(PythonRound(x, digits)), Bits(std::strtod(text, nullptr))) << text;
    }
  }
}

TEST(PythonTextDeathTest, DigitsBeyondTheContractAreABrokenPromise) {
  EXPECT_DEATH(static_cast<void>(PythonRound(1, -1)), "broken promise");
  EXPECT_DEATH(static_cast<void>(PythonRound(1, 23)), "broken promise");
}

}  // namespace
}  // namespace narrowgauge
