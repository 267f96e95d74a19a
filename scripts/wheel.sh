#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds dist/firth-*.whl: the Python package with the command. Arrow stays outside, in pyarrow; what
# else is not part of every Linux (ICU, libstemmer) goes in.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf build-wheel dist
mkdir -p build-wheel dist
.venv/bin/python -m pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps \
  -w build-wheel .
arrow=()
for library in libarrow libarrow_compute libparquet libarrow_s3 libarrow_python; do
  arrow+=(--exclude "$library.so.2600")
done
PATH=$PWD/.venv/bin:$PATH .venv/bin/auditwheel repair "${arrow[@]}" \
  --plat "manylinux_2_36_$(uname -m)" -w dist build-wheel/firth-*.whl
ls -l dist
