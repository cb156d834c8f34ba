#ifndef NARROWGAUGE_BASE_CHECKED_MATH_H_
#define NARROWGAUGE_BASE_CHECKED_MATH_H_

#include <concepts>
#include <optional>

namespace narrowgauge::internal {

// Return the exact result, or nothing where it does not fit. For numbers that come from a file.

template <std::integral T>
[[nodiscard]] constexpr std::optional<T> CheckedAdd(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

template <std::integral T>
[[nodiscard]] constexpr std::optional<T> CheckedMultiply(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// Returns a / b rounded up, for a >= 0 and b > 0. Always fits.
template <std::integral T>
[[nodiscard]] constexpr T DivideUp(T a, T b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_BASE_CHECKED_MATH_H_
