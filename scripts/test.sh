#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the release build and ends with one line of numbers.
#
#   scripts/test.sh all|cpp|python
set -uo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}
results=build/test-results
rm -rf "$results" && mkdir -p "$results"
status=0

if [ "$what" != python ]; then
  GTEST_OUTPUT="xml:$PWD/$results/" ctest --test-dir build -j "$(nproc)" --output-on-failure \
    --no-tests=error --output-junit "$PWD/$results/ctest.xml" || status=1
fi
if [ "$what" != cpp ]; then
  .venv/bin/python -m pytest -q --junitxml="$results/pytest.xml" test/ || status=1
fi
python3 scripts/summarize_tests.py "$results" || status=1
exit $status
