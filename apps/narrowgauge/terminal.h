#ifndef NARROWGAUGE_APPS_TERMINAL_H_
#define NARROWGAUGE_APPS_TERMINAL_H_

#include <chrono>
#include <string>
#include <string_view>

// What people see on standard error. Progress and colours appear on a terminal only, and colours
// only where NO_COLOR is not set.

namespace narrowgauge::app {

// Prints "narrowgauge: error: MESSAGE", the second word in red.
void PrintError(std::string_view message);

// Whether standard error is a terminal.
[[nodiscard]] bool OnTerminal();

// Prints what a run will take, if it is more than some seconds: "6.9e+10 multiply-adds: about 40
// s".
void PrintEstimate(double multiply_adds, double seconds);

// Prints a line of text.
void PrintNote(std::string_view text);

// A line "what  42 %" that is redrawn in place and erased at the end. Draws nothing in the first
// tenth of a second, nor where standard error is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `fraction` is from 0 to 1.
  void Update(double fraction);

 private:
  std::string what_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_TERMINAL_H_
