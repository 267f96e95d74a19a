# SPDX-License-Identifier: Apache-2.0
# Everything that a machine lacks in one message, with the names to install it by.
#
#   find_package(fmt QUIET)
#   firth_needs(fmt_FOUND "fmt: message formatting" APT libfmt-dev)
#   ...
#   firth_report_missing()

# firth_needs(<found> <what> APT|PIP <package>): notes <what> as missing unless the variable named
# <found> holds a true value. APT takes names of Debian and Ubuntu, PIP those of PyPI.
function(firth_needs found what installer package)
  if(NOT ${found})
    set_property(GLOBAL APPEND PROPERTY FIRTH_MISSING "${what} (${package})")
    set_property(GLOBAL APPEND PROPERTY FIRTH_MISSING_${installer} "${package}")
  endif()
endfunction()

# Ends the configuration when something is missing.
function(firth_report_missing)
  get_property(_missing GLOBAL PROPERTY FIRTH_MISSING)
  if(NOT _missing)
    return()
  endif()
  get_property(_apt GLOBAL PROPERTY FIRTH_MISSING_APT)
  get_property(_pip GLOBAL PROPERTY FIRTH_MISSING_PIP)
  list(JOIN _missing "\n  " _lines)
  set(_remedy)
  if(_apt)
    list(REMOVE_DUPLICATES _apt)
    list(JOIN _apt " " _apt)
    string(APPEND _remedy "\n  sudo apt-get install ${_apt}")
  endif()
  if(_pip)
    list(JOIN _pip "' '" _pip)
    string(APPEND _remedy "\n  python -m pip install '${_pip}'")
  endif()
  message(FATAL_ERROR "firth cannot be built, because this machine lacks:\n  ${_lines}\n"
    "To install it on Debian or Ubuntu:${_remedy}\nscripts/setup.sh does that for a source tree.")
endfunction()
