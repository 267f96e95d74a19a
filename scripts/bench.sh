#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs the Google Benchmark binaries.
#
#   scripts/bench.sh [benchmark arguments]...
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset bench --log-level=WARNING >/dev/null
cmake --build build -j "$(nproc)"
find build -name '*_benchmark' -type f -perm -u+x | sort | while read -r binary; do
  echo "== ${binary##*/}"
  "$binary" "$@"
done
