# SPDX-License-Identifier: Apache-2.0
# firth_add_module(<name> SOURCES a.cc b.cc [TESTS a_test.cc] [BENCHMARKS a_benchmark.cc])
#
# One folder of src/firth: an object library firth_<name> that goes into the `firth` library, one
# test binary firth_<name>_test and one benchmark binary firth_<name>_benchmark. Which folder may
# include which is checked by scripts/check_layers.py (make layers).
function(firth_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;BENCHMARKS" ${ARGN})
  add_library(firth_${name} OBJECT ${ARG_SOURCES})
  target_include_directories(firth_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(firth_${name} PUBLIC firth_dependencies)
  set_property(GLOBAL APPEND PROPERTY FIRTH_MODULES firth_${name})
  if(FIRTH_TESTS AND ARG_TESTS)
    list(TRANSFORM ARG_TESTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    firth_add_test(firth_${name}_test ${ARG_TESTS})
  endif()
  if(FIRTH_BENCHMARKS AND ARG_BENCHMARKS)
    add_executable(firth_${name}_benchmark ${ARG_BENCHMARKS})
    target_link_libraries(firth_${name}_benchmark PRIVATE firth_testing firth
      benchmark::benchmark_main)
  endif()
endfunction()

# A GoogleTest binary over the whole library; one ctest entry per binary.
function(firth_add_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE firth_testing firth GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    FIRTH_TEST_DATA_DIR="${CMAKE_SOURCE_DIR}/test/data"
    FIRTH_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
