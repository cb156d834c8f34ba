#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace narrowgauge::app {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{100};

// What is shorter, a progress line tells soon enough.
constexpr double kLongSeconds = 5;

std::string DurationText(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  if (seconds < 1.5 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 1.5 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.3g} h", seconds / kHour);
}

bool WithColours() {
  const char* const no_colour = std::getenv("NO_COLOR");
  return OnTerminal() && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

void PrintError(std::string_view message) {
  if (WithColours()) {
    fmt::print(stderr, "narrowgauge: \033[1;31merror:\033[0m {}\n", message);
  } else {
    fmt::print(stderr, "narrowgauge: error: {}\n", message);
  }
}

bool OnTerminal() { return isatty(STDERR_FILENO) == 1; }

void PrintEstimate(double multiply_adds, double seconds) {
  if (seconds < kLongSeconds) return;
  fmt::print(stderr, "{:.2g} multiply-adds: about {}\n", multiply_adds, DurationText(seconds));
}

void PrintNote(std::string_view text) { fmt::print(stderr, "{}\n", text); }

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)),
      enabled_(OnTerminal()),
      next_draw_(std::chrono::steady_clock::now() + kRedrawInterval) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::Update(double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_draw_) return;
  next_draw_ = now + kRedrawInterval;
  drawn_ = true;
  fmt::print(stderr, "\r\033[K{}  {:.0f} %", what_, 100 * fraction);
  std::fflush(stderr);
}

}  // namespace narrowgauge::app
