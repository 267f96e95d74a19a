# SPDX-License-Identifier: Apache-2.0
# Arrow C++ out of the pyarrow wheel, which ships headers and versioned libraries but no CMake
# package. Looks at PYARROW_DIR, else asks Python3_EXECUTABLE, else the .venv of the source tree.
# Defines Arrow::arrow, Arrow::compute, Arrow::parquet, Arrow::s3 and PYARROW_LIBRARY_DIR.
set(_arrow_major 26)
if(NOT PYARROW_DIR)
  set(_pythons ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  foreach(_python ${_pythons})
    if(EXISTS ${_python})
      execute_process(
        COMMAND ${_python} -c "import importlib.util as u; print(u.find_spec('pyarrow').submodule_search_locations[0])"
        OUTPUT_VARIABLE PYARROW_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(PYARROW_DIR)
        break()
      endif()
    endif()
  endforeach()
endif()
set(PYARROW_DIR "${PYARROW_DIR}" CACHE PATH "Folder of the pyarrow package")
set(PYARROW_LIBRARY_DIR ${PYARROW_DIR})

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PyArrowCpp
  REQUIRED_VARS PYARROW_DIR
  FAIL_MESSAGE "pyarrow ${_arrow_major} not found: run scripts/setup.sh, or set PYARROW_DIR")
if(NOT PyArrowCpp_FOUND)
  return()
endif()

function(_firth_import_arrow target library)
  set(_path ${PYARROW_DIR}/lib${library}.so.${_arrow_major}00)
  if(NOT EXISTS ${_path})
    message(FATAL_ERROR "${_path} is missing: firth needs pyarrow ${_arrow_major}.x")
  endif()
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION ${_path}
    INTERFACE_INCLUDE_DIRECTORIES ${PYARROW_DIR}/include)
endfunction()
if(NOT TARGET Arrow::arrow)
  _firth_import_arrow(Arrow::arrow arrow)
  _firth_import_arrow(Arrow::compute arrow_compute)
  _firth_import_arrow(Arrow::parquet parquet)
  _firth_import_arrow(Arrow::s3 arrow_s3)
endif()
