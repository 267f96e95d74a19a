# SPDX-License-Identifier: Apache-2.0
# Compiler launcher, warnings and sanitizers shared by every target.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: false alarms about "text" + std::string.
  add_compile_options(-Wno-restrict)
endif()
if(FIRTH_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_BUILD_TYPE STREQUAL Release)
  # Guesses of the optimiser, often wrong across inlined library code (GCC bug 105651 and others):
  # shown, never fatal.
  foreach(_warning array-bounds dangling-pointer free-nonheap-object maybe-uninitialized nonnull
                   null-dereference restrict stringop-overflow stringop-overread)
    add_compile_options(-Wno-error=${_warning})
  endforeach()
endif()
if(FIRTH_SANITIZE)
  string(REPLACE ";" "," _firth_sanitizers "${FIRTH_SANITIZE}")
  add_compile_options(-fsanitize=${_firth_sanitizers} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${_firth_sanitizers})
endif()
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM)
  add_link_options(-fuse-ld=lld)
endif()
