#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the C++ tests with a sanitizer and runs them. Arrow is not instrumented: containers that
# it fills must not be checked for overflow, and its threads are suppressed by name.
#
#   scripts/sanitize.sh asan|tsan [ctest arguments]...
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
export ASAN_OPTIONS="detect_container_overflow=0:strict_string_checks=1:detect_stack_use_after_return=1"
export LSAN_OPTIONS="suppressions=$PWD/test/sanitizers/lsan.supp:print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1"
export TSAN_OPTIONS="suppressions=$PWD/test/sanitizers/tsan.supp:second_deadlock_stack=1"
cmake --preset "$preset" --log-level=WARNING >/dev/null
cmake --build "build-$preset" -j "$(nproc)"
ctest --test-dir "build-$preset" -j "$(nproc)" --output-on-failure --no-tests=error "$@"
