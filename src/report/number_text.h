#ifndef NARROWGAUGE_REPORT_NUMBER_TEXT_H_
#define NARROWGAUGE_REPORT_NUMBER_TEXT_H_

#include <string>

namespace narrowgauge::internal {

// Both take finite numbers only, keep the sign of -0, and depend on no locale.

// Returns the shortest digits that read back to the same float64, laid out as Python's repr does:
// "0.1", "100.0", "1e-05", "1e+16". Always a JSON number, and never an integer in disguise.
[[nodiscard]] std::string ShortestText(double x);

// How many digits tables show.
inline constexpr int kSignificantDigits = 6;

// Returns x rounded correctly to kSignificantDigits, trailing zeros kept: "0.0371800". A number
// that needs no more digits than that is written with those it needs: "41.24", "1.25e-07", "3". So
// zeros at the end say that digits follow. Exponents below 1e-4 and from 1e6 on.
[[nodiscard]] std::string SignificantText(double x);

}  // namespace narrowgauge::internal

#endif  // NARROWGAUGE_REPORT_NUMBER_TEXT_H_
