#ifndef NARROWGAUGE_TESTS_SUPPORT_THOROUGHNESS_H_
#define NARROWGAUGE_TESTS_SUPPORT_THOROUGHNESS_H_

namespace narrowgauge::test {

// Exhaustive tests look at every kStride-th case. Ordinary builds look at all; builds with
// sanitizers, ten times slower and there for other faults than wrong bits, at some.
#if defined(NG_SANITIZED)
inline constexpr int kStride = 16;
#else
inline constexpr int kStride = 1;
#endif

}  // namespace narrowgauge::test

#endif  // NARROWGAUGE_TESTS_SUPPORT_THOROUGHNESS_H_
