# Compiler flags as interface targets. Every target of the project links ng_flags.

add_library(ng_flags INTERFACE)
target_compile_features(ng_flags INTERFACE cxx_std_20)
target_compile_options(ng_flags INTERFACE
  # One rounding means one rounding: without this g++ fuses a*b+c wherever FMA is enabled.
  -ffp-contract=off
  -fno-math-errno
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wfloat-conversion
  -Wdouble-promotion -Wnon-virtual-dtor -Wold-style-cast -Wcast-align -Wunused -Woverloaded-virtual)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # A false alarm on adding std::strings (PR 105329).
  target_compile_options(ng_flags INTERFACE -Wno-restrict)
endif()

option(NARROWGAUGE_WERROR "Treat warnings as errors" OFF)
if(NARROWGAUGE_WERROR)
  target_compile_options(ng_flags INTERFACE -Werror)
endif()

# NARROWGAUGE_SANITIZE is a list as -fsanitize= takes it, for example "address,undefined".
set(NARROWGAUGE_SANITIZE "" CACHE STRING "Sanitizers to build with")
if(NARROWGAUGE_SANITIZE)
  set(_sanitizers "${NARROWGAUGE_SANITIZE}")
  if(_sanitizers MATCHES "undefined")
    # g++ leaves this one out of "undefined"; an unchecked float -> int8 cast hides behind it.
    string(APPEND _sanitizers ",float-cast-overflow")
  endif()
  target_compile_options(ng_flags INTERFACE
    -fsanitize=${_sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ng_flags INTERFACE -fsanitize=${_sanitizers})
  target_compile_definitions(ng_flags INTERFACE NG_SANITIZED)
endif()

# Of what is compiled more than it runs: tests and the command line.
add_library(ng_hardly_optimized INTERFACE)
if(NARROWGAUGE_SANITIZE)
  target_compile_options(ng_hardly_optimized INTERFACE -O0)
  if(NARROWGAUGE_BUILD_FUZZERS)
    target_compile_options(ng_hardly_optimized INTERFACE -fno-sanitize=fuzzer-no-link)
  endif()
else()
  target_compile_options(ng_hardly_optimized INTERFACE $<$<CONFIG:Release>:-O1>)
endif()

if(NARROWGAUGE_BUILD_FUZZERS)
  # libFuzzer follows coverage through the library; only the fuzz targets link its main.
  target_compile_options(ng_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(ng_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

option(NARROWGAUGE_COVERAGE "Instrument for gcovr" OFF)
if(NARROWGAUGE_COVERAGE)
  target_compile_options(ng_flags INTERFACE --coverage -O0)
  target_link_options(ng_flags INTERFACE --coverage)
endif()
