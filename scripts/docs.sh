#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The C++ reference in build/docs/html. A warning, such as a public item without a comment, fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
doxygen docs/Doxyfile
echo "docs: build/docs/html/index.html"
