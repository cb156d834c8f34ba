#ifndef NARROWGAUGE_BASE_CHECK_H_
#define NARROWGAUGE_BASE_CHECK_H_

namespace narrowgauge::internal {

// Prints the broken promise and aborts.
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace narrowgauge::internal

// For promises inside the program, never for input. Active in every build.
#define NG_CHECK(condition)           \
  ((condition) ? static_cast<void>(0) \
               : ::narrowgauge::internal::CheckFailed(#condition, __FILE__, __LINE__))

#endif  // NARROWGAUGE_BASE_CHECK_H_
