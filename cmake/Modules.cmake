# One folder per stage, one target per folder.

# ng_module(NAME SOURCES a.cc ... [DEPS ng_other ...] [TESTS a_test.cc ...] [TEST_DEPS ng_other ...])
#
# Adds the object library ng_NAME from the calling folder. DEPS are what its code may include; the
# layering test holds the folders to the same table. TESTS become the program NAME_test; each
# GoogleTest case is one CTest test.
function(ng_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  add_library(ng_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(ng_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_link_libraries(ng_${name} PUBLIC tl::expected ${ARG_DEPS} PRIVATE ng_flags)
  set_property(GLOBAL APPEND PROPERTY NG_MODULES ng_${name})
  if(NARROWGAUGE_BUILD_TESTS AND ARG_TESTS)
    ng_test(${name}_test SOURCES ${ARG_TESTS} DEPS ${ARG_TEST_DEPS})
  endif()
endfunction()

# ng_test(NAME SOURCES x_test.cc ... [DEPS target ...] [EXHAUSTIVE]): a GoogleTest program over the whole
# library. EXHAUSTIVE tests take minutes and carry that label: only ./dev test --all runs them.
function(ng_test name)
  if(NOT NARROWGAUGE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "EXHAUSTIVE" "" "SOURCES;DEPS" ${ARGN})
  set(properties TIMEOUT 300)
  if(ARG_EXHAUSTIVE)
    set(properties TIMEOUT 3600 LABELS exhaustive)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE
    NG_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests" NG_CLI="$<TARGET_FILE:narrowgauge_cli>")
  target_link_libraries(${name} PRIVATE
    ng_flags ng_hardly_optimized ng_test_support narrowgauge ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES ${properties})
endfunction()
