#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests against stock Hudi on Spark. Installs both on first use, into build-interop: pyspark
# from PyPI, the Hudi bundle by Maven. Needs Java 11 or 17 and mvn.
set -euo pipefail
cd "$(dirname "$0")/../.."
spark=3.5.8
bundle=hudi-spark3.5-bundle_2.12
hudi=${HUDI_VERSION:-1.2.0}
for program in java mvn; do
  command -v "$program" >/dev/null || {
    echo "test-interop: $program is missing; on Debian: apt-get install openjdk-17-jdk-headless maven" >&2
    exit 1
  }
done
if ! build-interop/venv/bin/python -c "import pyspark; assert pyspark.__version__ == '$spark'" \
  2>/dev/null; then
  python3 -m venv build-interop/venv
  build-interop/venv/bin/pip install -q --disable-pip-version-check "pyspark==$spark"
fi
jar=$PWD/build-interop/$bundle-$hudi.jar
if [ ! -s "$jar" ]; then
  mvn -q dependency:copy -Dartifact="org.apache.hudi:$bundle:$hudi" \
    -DoutputDirectory="$PWD/build-interop" -Dmdep.useBaseVersion=true
fi
INTEROP_PYTHON=$PWD/build-interop/venv/bin/python INTEROP_JAR=$jar \
  .venv/bin/python -m pytest -q test/interop "$@"
