#include "terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace narrowgauge::app {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{100};

bool OnTerminal() { return isatty(STDERR_FILENO) == 1; }

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
