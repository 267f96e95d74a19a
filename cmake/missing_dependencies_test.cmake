# SPDX-License-Identifier: Apache-2.0
# Run with cmake -P: two missing libraries must come in one message (see CMakeLists.txt).
include(${CMAKE_CURRENT_LIST_DIR}/MissingDependencies.cmake)
set(_there TRUE)
set(_path _path-NOTFOUND)
firth_needs(_there "a: is there" APT liba-dev)
firth_needs(_path "b: a header" APT libb-dev)
firth_needs(never_set "c: a wheel" PIP "c>=1")
firth_report_missing()
