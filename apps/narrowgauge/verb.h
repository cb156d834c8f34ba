#ifndef NARROWGAUGE_APPS_VERB_H_
#define NARROWGAUGE_APPS_VERB_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string_view>

#include "narrowgauge/status.h"

namespace narrowgauge::app {

// How a verb that could do its work ended.
enum class Outcome {
  kDone,
  kConditionFailed,  // All is printed; something that was asked for does not hold.
};

// One subcommand. `declare` adds its flags to `command` and returns what runs when it was chosen.
struct Verb {
  std::string_view name;
  std::string_view summary;
  std::function<Result<Outcome>()> (*declare)(CLI::App& command);
};

std::function<Result<Outcome>()> DeclareDemo(CLI::App& command);
std::function<Result<Outcome>()> DeclareMeasure(CLI::App& command);
std::function<Result<Outcome>()> DeclareFormats(CLI::App& command);

// Every verb, in the order in which help lists them.
inline constexpr Verb kVerbs[] = {
    {"demo", "The JAX tutorial: its precision table and a warmed XProf trace", DeclareDemo},
    {"measure", "What number formats do to one weight matrix of yours", DeclareMeasure},
    {"formats", "The number formats: what each holds, and what it makes of a value",
     DeclareFormats},
};

}  // namespace narrowgauge::app

#endif  // NARROWGAUGE_APPS_VERB_H_
