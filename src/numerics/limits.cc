#include "src/numerics/limits.h"

#include <cmath>
#include <numeric>

#include "src/numerics/codec.h"

namespace narrowgauge::internal {
namespace {

bool HasNegativeZero(const DTypeInfo& info) {
  return info.kind == DTypeKind::kFloat && info.is_signed && info.has_zero &&
         info.special_values != SpecialValues::kNanNegativeZero;
}

bool HasInfinity(const DTypeInfo& info) {
  return info.kind == DTypeKind::kFloat && info.special_values == SpecialValues::kIeee;
}

// All values of a format but NaN and -0, in ascending order, counted from a rank that may be
// negative.
class Ranks {
 public:
  explicit Ranks(const DTypeInfo& info) : info_(info) {
    if (info.kind == DTypeKind::kInteger) {
      const int magnitude_bits = info.total_bits - (info.is_signed ? 1 : 0);
      last_ = (std::int64_t{1} << magnitude_bits) - 1;
      first_ = info.is_signed ? -last_ - 1 : 0;
      return;
    }
    last_ = static_cast<std::int64_t>(LargestFiniteCode(info)) + (HasInfinity(info) ? 1 : 0);
    // Without a zero, 0 has two codes of two values.
    if (info.is_signed) first_ = -last_ - (info.has_zero ? 0 : 1);
  }

  [[nodiscard]] std::int64_t First() const { return first_; }
  [[nodiscard]] std::int64_t Last() const { return last_; }

  [[nodiscard]] std::uint64_t CodeOf(std::int64_t rank) const {
    if (info_.kind == DTypeKind::kInteger || rank >= 0) {
      return static_cast<std::uint64_t>(rank) & (~std::uint64_t{0} >> (64 - info_.total_bits));
    }
    const std::int64_t magnitude = -rank - (info_.has_zero ? 0 : 1);
    return static_cast<std::uint64_t>(magnitude) | std::uint64_t{1} << (info_.total_bits - 1);
  }

  // Returns the first rank whose value `is_reached` accepts, as it does all after it; Last() + 1 if
  // there is none.
  template <typename IsReached>
  [[nodiscard]] std::int64_t FirstWhere(IsReached is_reached) const {
    std::int64_t low = first_;
    std::int64_t high = last_ + 1;
    while (low < high) {
      const std::int64_t middle = std::midpoint(low, high);  // high - low may not fit.
      if (is_reached(Decode(info_, CodeOf(middle)))) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  const DTypeInfo& info_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace

ValueClass ClassOf(const DTypeInfo& info, std::uint64_t code) {
  const double value = Decode(info, code);
  if (std::isnan(value)) return ValueClass::kNan;
  if (std::isinf(value)) return ValueClass::kInfinity;
  if (value == 0) return ValueClass::kZero;
  const bool below_normal = std::fabs(value) < LimitsOf(info).smallest_normal;
  return below_normal ? ValueClass::kSubnormal : ValueClass::kNormal;
}

DTypeLimits LimitsOf(const DTypeInfo& info) {
  const Ranks ranks(info);
  const bool infinite = HasInfinity(info);
  DTypeLimits limits{.largest = Decode(info, ranks.CodeOf(ranks.Last() - (infinite ? 1 : 0))),
                     .lowest = Decode(info, ranks.CodeOf(ranks.First() + (infinite ? 1 : 0))),
                     .smallest_normal = 1,
                     .smallest_subnormal = 1,
                     .epsilon = 1,
                     .has_subnormals = false,
                     .has_infinity = infinite,
                     .has_nan = false,
                     .has_zero = true,
                     .has_negative_zero = HasNegativeZero(info)};
  if (info.kind == DTypeKind::kInteger) return limits;
  limits.smallest_normal = std::ldexp(1.0, (info.has_zero ? 1 : 0) - info.exponent_bias);
  limits.smallest_subnormal = Decode(info, info.has_zero ? 1 : 0);
  limits.epsilon = std::ldexp(1.0, -info.mantissa_bits);
  limits.has_subnormals = limits.smallest_subnormal < limits.smallest_normal;
  limits.has_nan = info.special_values != SpecialValues::kNone;
  limits.has_zero = info.has_zero;
  return limits;
}

Neighbours NeighboursOf(const DTypeInfo& info, double value) {
  if (std::isnan(value)) return {};
  const Ranks ranks(info);
  const auto neighbour = [&](std::int64_t rank) {
    std::uint64_t code = ranks.CodeOf(rank);
    const bool zero = info.has_zero && rank == 0;
    if (zero && value < 0 && HasNegativeZero(info)) {
      code = std::uint64_t{1} << (info.total_bits - 1);
    }
    return CodedValue{code, Decode(info, code)};
  };
  Neighbours neighbours;
  const std::int64_t at_least = ranks.FirstWhere([value](double x) { return x >= value; });
  if (at_least > ranks.First()) neighbours.below = neighbour(at_least - 1);
  const std::int64_t above = ranks.FirstWhere([value](double x) { return x > value; });
  if (above <= ranks.Last()) neighbours.above = neighbour(above);
  return neighbours;
}

}  // namespace narrowgauge::internal

namespace narrowgauge {

std::string_view ValueClassName(ValueClass value_class) {
  switch (value_class) {
    case ValueClass::kZero:
      return "zero";
    case ValueClass::kSubnormal:
      return "subnormal";
    case ValueClass::kNormal:
      return "normal";
    case ValueClass::kInfinity:
      return "infinity";
    case ValueClass::kNan:
      break;
  }
  return "NaN";
}

ValueClass ClassifyCode(DType dtype, std::uint64_t code) {
  return internal::ClassOf(GetDTypeInfo(dtype), code);
}

DTypeLimits GetDTypeLimits(DType dtype) { return internal::LimitsOf(GetDTypeInfo(dtype)); }

Neighbours FindNeighbours(DType dtype, double value) {
  return internal::NeighboursOf(GetDTypeInfo(dtype), value);
}

}  // namespace narrowgauge
