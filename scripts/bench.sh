#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the benchmarks: kernels by Google Benchmark, then whole reads beside hudi-rs and
# pyarrow on the same tables (bench/read_tables.py).
#
#   scripts/bench.sh [all|kernels|tables] [arguments of what runs]...
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}
[ $# -eq 0 ] || shift
cmake --preset bench -DFIRTH_PYTHON=ON --log-level=WARNING >/dev/null
cmake --build build -j "$(nproc)"

if [ "$what" != tables ]; then
  find build -name '*_benchmark' -type f -perm -u+x | sort | while read -r binary; do
    echo "== ${binary##*/}"
    "$binary" "$@"
  done
fi
if [ "$what" != kernels ]; then
  .venv/bin/python -c 'import hudi' 2>/dev/null ||
    .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes \
      --only-binary :all: -r requirements-bench.txt
  .venv/bin/python bench/read_tables.py "$@"
fi
