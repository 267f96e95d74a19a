#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every libFuzzer target for some seconds, starting from its committed corpus. What a target
# learns stays in build-fuzz/corpus; a crash is left in build-fuzz/crashes and fails the run.
#
#   scripts/fuzz.sh SECONDS [TARGET]...
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
shift
export ASAN_OPTIONS="detect_container_overflow=0"
cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build build-fuzz -j "$(nproc)"
mkdir -p build-fuzz/crashes
targets=("$@")
if [ $# -eq 0 ]; then
  for binary in build-fuzz/fuzz/fuzz_*; do
    [ -f "$binary" ] && [ -x "$binary" ] && targets+=("${binary##*/fuzz_}")
  done
fi
for target in "${targets[@]}"; do
  echo "fuzz: $target for $seconds s"
  mkdir -p "build-fuzz/corpus/$target"
  seeds=()
  for folder in "fuzz/corpus/$target" "fuzz/regressions/$target"; do
    [ -d "$folder" ] && seeds+=("$folder")
  done
  "build-fuzz/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix=build-fuzz/crashes/ -print_final_stats=0 -verbosity=0 \
    "build-fuzz/corpus/$target" "${seeds[@]}"
done
echo "fuzz: ${#targets[@]} passed, 0 failed"
