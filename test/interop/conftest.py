# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "golden"))


class HudiProcess:
    """Asks the Spark process of hudi.py."""

    def __init__(self, process):
        self._process = process

    def __call__(self, do, **request):
        self._process.stdin.write(json.dumps({"do": do, **request}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            pytest.fail(f"Spark ended with {self._process.wait()}; see the log of this test")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["ok"]


@pytest.fixture(scope="session")
def hudi(tmp_path_factory):
    python, jar = os.environ.get("INTEROP_PYTHON"), os.environ.get("INTEROP_JAR")
    if not python or not jar:
        pytest.skip("no Spark: start these tests with make test-interop")
    warehouse = tmp_path_factory.mktemp("warehouse")
    command = [python, str(HERE / "hudi.py"), jar, str(warehouse)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        yield HudiProcess(process)
        process.stdin.close()
