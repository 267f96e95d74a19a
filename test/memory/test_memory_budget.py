# SPDX-License-Identifier: Apache-2.0
"""Reads and searches stay within their memory budget and 200 MiB, over logs ten times as large, and
answer as they do when everything fits."""

import json
import os
import pathlib
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRTH = pathlib.Path(os.environ.get("FIRTH_COMMAND", ROOT / "build" / "firth"))
MIB = 1 << 20
BUDGET_MIB = 16
ALLOWED_MIB = 200
DIMENSION = 128

# The peak of a child counts what its parent held when it was forked: this parent holds little.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """200 thousand rows, each updated every other time in three rounds of logs."""
    path = tmp_path_factory.mktemp("memory") / "table"
    tool = FIRTH.with_name("firth-bench-table")
    if not tool.exists():
        pytest.fail(f"{tool} is missing: run make build")
    shape = ["--rows", 200_000, "--files", 2, "--partitions", 2, "--dimension", DIMENSION]
    changes = ["--type", "mor", "--rounds", 3, "--update-fraction", 0.5, "--delete-fraction", 0.01]
    subprocess.run(list(map(str, [tool, *shape, *changes, "--out", path])), check=True)
    slices = json.loads(subprocess.check_output([FIRTH, "files", path, "--json"]))
    assert sum(slice["log_bytes"] for slice in slices) >= 10 * BUDGET_MIB * MIB
    return path


def peak_mib(*arguments):
    """Runs the command; the largest resident set that it had."""
    command = [sys.executable, "-c", MEASURE, FIRTH, *arguments]
    return int(subprocess.check_output(list(map(str, command))))


def answers(tmp_path, *arguments, form="arrow"):
    """The rows with the small budget, and those with one that holds everything."""
    small, large = (tmp_path / f"{name}.{form}" for name in ("small", "large"))
    peak = peak_mib(*arguments, "--memory-budget", f"{BUDGET_MIB}MiB", "-o", small)
    assert peak <= BUDGET_MIB + ALLOWED_MIB
    subprocess.run(
        list(map(str, [FIRTH, *arguments, "--memory-budget", "4GiB", "-o", large])), check=True
    )
    if form == "parquet":
        return pyarrow.parquet.read_table(small), pyarrow.parquet.read_table(large)
    return tuple(pyarrow.ipc.open_file(path).read_all() for path in (small, large))


@pytest.mark.parametrize(("form", "threads"), [("arrow", 8), ("parquet", 1)])
def test_a_read_of_everything(table, tmp_path, form, threads):
    small, large = answers(tmp_path, "read", table, "--threads", threads, form=form)
    assert 190_000 < small.num_rows < 200_000
    # Rows that only logs hold come when their logs are read.
    assert small.sort_by("id").equals(large.sort_by("id"))


def test_a_text_search_with_more_matches_than_fit(table, tmp_path):
    search = ("search", "text", table, "amber river", "--column", "c_text", "-k", 1000)
    small, large = answers(tmp_path, *search)
    assert small.num_rows == 1000
    assert small.equals(large)


def test_a_vector_search(table, tmp_path):
    vector = json.dumps([(i % 7) / 7 - 0.5 for i in range(DIMENSION)])
    search = ("search", "vector", table, "--column", "emb", "--vector", vector, "-k", 1000)
    small, large = answers(tmp_path, *search)
    assert small.num_rows == 1000
    assert small.equals(large)
