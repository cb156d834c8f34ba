#include "src/numerics/sum_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/kernels/plain.h"
#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

TEST(SumFormatTest, RoundsAsTheCodecDoes) {
  for (const DType dtype : AllDTypes()) {
    const DTypeInfo& info = GetDTypeInfo(dtype);
    if (info.kind != DTypeKind::kFloat || !info.has_zero || info.mantissa_bits > 23) continue;
    const SumFormat format = SumFormatOf(dtype);
    const double infinity = std::numeric_limits<double>::infinity();
    const double from_infinity = Decode(info, Encode(info, -infinity));
    const double got_from_infinity = plain::RoundToSum(-infinity, format);
    EXPECT_TRUE(got_from_infinity == from_infinity ||
                (std::isnan(got_from_infinity) && std::isnan(from_infinity)))
        << info.name;
    for (int exponent = -160; exponent < 130; ++exponent) {
      for (const double significand :
           {1.0, 1 + 0x1p-30, 1.0625, 1.25, 1.5, 1.75, 1.9375, 2 - 0x1p-30}) {
        for (const double sign : {1.0, -1.0}) {
          const double value = sign * std::ldexp(significand, exponent);
          const double expected = Decode(info, Encode(info, value));
          const double got = plain::RoundToSum(value, format);
          if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(got)) << info.name << " " << value;
          } else {
            EXPECT_EQ(got, expected) << info.name << " " << value;
            EXPECT_EQ(std::signbit(got), std::signbit(expected)) << info.name << " " << value;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace narrowgauge::internal
