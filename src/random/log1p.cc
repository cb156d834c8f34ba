#include "src/random/log1p.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "src/random/polynomial.h"
#include "src/random/profile_arithmetic.h"

namespace narrowgauge::internal {
namespace {

// N and D of the rational.
constexpr Coefficients<7> kNumerator = {0x383DE04B, 0x3EFF40C5, 0x40D284FA, 0x41EF4B9C,
                                        0x4273CC76, 0x426473AD, 0x41A05101};
constexpr Coefficients<7> kDenominator = {0x3F800000, 0x417101AD, 0x42A6185B, 0x435DC32D,
                                          0x439A8CA3, 0x43586D8A, 0x42707982};

// log(1 + x) = x - x^2/2 + x^3 * N(x)/D(x) is used below this |x|, which is sqrt(2) - 1 rounded.
constexpr float kRationalBelow = std::bit_cast<float>(0x3ED413CDU);

constexpr Coefficients<3> kLogP = {0x3D9021BB, 0xBDEBD1B8, 0x3DEF251A};
constexpr Coefficients<3> kLogQ = {0xBDFE5D4F, 0x3E11E9BF, 0xBE2AAE50};
constexpr Coefficients<3> kLogR = {0x3E4CCEAC, 0xBE7FFFFC, 0x3EAAAAAA};
constexpr float kSqrtHalf = std::bit_cast<float>(0x3F3504F3U);
constexpr float kLn2High = std::bit_cast<float>(0x3F318000U);
constexpr float kLn2Low = std::bit_cast<float>(0xB95E8083U);

float RationalNearZero(float x, Log1pVariant variant, MultiplyAdd multiply_add) {
  const float square = x * x;
  const float quotient = EvaluatePolynomial(kNumerator, x, multiply_add) /
                         EvaluatePolynomial(kDenominator, x, multiply_add);
  const float cube = x * square;
  // x^3 * N/D - x^2/2. Halving is exact; fused, only kRational rounds x^3 * N/D before the
  // difference.
  const float correction = variant == Log1pVariant::kRationalFusedDifference
                               ? MultiplyThenAdd(multiply_add, quotient, cube, -(0.5f * square))
                               : MultiplyThenAdd(multiply_add, -0.5f, square, cube * quotient);
  return x + correction;
}

// Returns log(y) for normal y > 0: y = 2^e * m with m in [sqrt(1/2), sqrt(2)), v = m - 1, and
// log(y) = e ln 2 + v - v^2/2 + v^3 * (P v^6 + Q v^3 + R), with P, Q and R quadratic in v.
float Log(float y, MultiplyAdd multiply_add) {
  const auto mad = [&](float a, float b, float c) {
    return MultiplyThenAdd(multiply_add, a, b, c);
  };
  const auto bits = std::bit_cast<std::uint32_t>(y);
  float exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127) + 1.0f;
  float v = std::bit_cast<float>((bits & 0x807FFFFFU) | 0x3F000000U);
  if (v < kSqrtHalf) {
    exponent -= 1.0f;
    v = (v - 1.0f) + v;
  } else {
    v = v - 1.0f;
  }
  const float square = v * v;
  const float cube = square * v;
  const float p = EvaluatePolynomial(kLogP, v, multiply_add);
  const float q = EvaluatePolynomial(kLogQ, v, multiply_add);
  const float r = EvaluatePolynomial(kLogR, v, multiply_add);
  const float tail = mad(mad(p, cube, q), cube, r);
  const float sum = mad(-0.5f, square, v) + mad(tail, cube, exponent * kLn2Low);
  return mad(exponent, kLn2High, sum);
}

}  // namespace

float Log1p(float x, Log1pVariant variant, MultiplyAdd multiply_add) {
  if (std::fabs(x) < kRationalBelow) return RationalNearZero(x, variant, multiply_add);
  const float y = x + 1.0f;
  return variant == Log1pVariant::kLibm ? std::log(y) : Log(y, multiply_add);
}

}  // namespace narrowgauge::internal
