# SPDX-License-Identifier: Apache-2.0
"""The sample tables of hudi-rs, when they are there: row counts and digests of all queries."""

import json
import pathlib
import subprocess

import pytest
import rows as canon
import tables

FIXTURES = tables.SHARED / "fixtures" / "hudi-rs"
EXPECTED = json.loads((pathlib.Path(__file__).parent / "hudi_rs_expected.json").read_text())
TABLES = EXPECTED["tables"]


def arguments_of(query):
    kind, *times = query.split(" ")
    if kind == "as_of":
        return ("--as-of", times[0])
    if kind == "incremental":
        return ("--incremental", times[0]) + (("--end", times[1]) if len(times) > 1 else ())
    return ("--read-optimized",) if kind == "read_optimized" else ()


@pytest.fixture(scope="module")
def unpack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hudi_rs")

    def to_path(name):
        if not FIXTURES.is_dir():
            pytest.skip(f"{FIXTURES} is not there: {len(TABLES)} tables not checked")
        archive = FIXTURES / f"{name}.zip"
        target = folder / name.replace("/", "_")
        if not target.exists():
            subprocess.run(["unzip", "-q", archive, "-d", target], check=True)
        return tables.table_root(target)

    return to_path


@pytest.mark.parametrize("name", [n for n, t in TABLES.items() if "queries" in t])
def test_all_queries_return_the_rows_of_hudi(name, unpack):
    path, table, wrong = unpack(name), TABLES[name], []
    for query, recorded in table["queries"].items():
        answer = tables.read(path, ("--meta", *arguments_of(query)))
        if "error" in recorded:
            if answer.code != tables.FAILED:
                wrong.append(f"{query}: exit {answer.code}, Hudi says: {recorded['error']}")
            continue
        omit = table.get("omit", [])
        found = [canon.without(json.loads(row), omit) for row in answer.rows]
        if (len(found), canon.digest(found)) != (recorded["count"], recorded["sha256"]):
            wrong.append(
                f"{query}: {len(found)} rows, expected {recorded['count']}. {answer.stderr}"
            )
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [n for n, t in TABLES.items() if "refused" in t])
def test_lance_tables_are_refused_by_name(name, unpack):
    answer = tables.read(unpack(name), ())
    assert answer.code == tables.FAILED
    assert TABLES[name]["refused"] in answer.stderr.lower()
