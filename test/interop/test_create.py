# SPDX-License-Identifier: Apache-2.0
"""Tables that firth creates: Hudi inserts, updates and deletes in them as in its own."""

import json
import subprocess

import pytest
import rows as canon
import tables

COLUMNS = "id int, name string, price decimal(10,2), ts bigint, part string"
TABLES = {
    "cow": ("--key", "id", "--partition", "part", "--ordering", "ts"),
    "mor": ("--key", "id", "--partition", "part", "--ordering", "ts", "--type", "mor"),
    "mor_v8": (
        "--key", "id", "--ordering", "ts", "--type", "mor", "--table-version", "8",
    ),
    "commit_time_v8": ("--key", "id", "--partition", "part", "--table-version", "8"),
    "commit_time": ("--key", "id"),
    "complex": ("--key", "id,name", "--partition", "part,ts", "--ordering", "ts"),
    "hive": (
        "--key", "id", "--partition", "part", "--ordering", "ts",
        "--set", "hoodie.datasource.write.hive_style_partitioning=true",
    ),
    "cdc": (
        "--key", "id", "--ordering", "ts", "--type", "mor",
        "--set", "hoodie.table.cdc.enabled=true",
        "--set", "hoodie.table.cdc.supplemental.logging.mode=DATA_BEFORE_AFTER",
    ),
    "timestamps": (
        "--key", "id", "--partition", "ts",
        "--set", "hoodie.keygen.timebased.timestamp.type=EPOCHMILLISECONDS",
        "--set", "hoodie.keygen.timebased.output.dateformat=yyyy/MM/dd",
        "--set", "hoodie.keygen.timebased.timezone=UTC",
    ),
}  # fmt: skip


def row(key, ts, name="a"):
    return {"id": key, "name": name, "price": f"{key}.50", "ts": ts, "part": f"p{key % 2}"}


# Without the partition columns: Spark shows what the path says, firth what the file has.
COMPARED = [
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_commit_time",
    "id",
    "name",
    "price",
]


def compare(hudi, path):
    answer = hudi("read", path=str(path), options={})
    rows = [canon.row_with_zones(row, answer["fields"]) for row in answer["rows"]]
    expected = tables.lines({name: row[name] for name in COMPARED} for row in rows)
    found = tables.read(path, ("--columns", ",".join(COMPARED)))
    assert found.code == tables.DONE, found.stderr
    assert found.rows == expected
    return expected


@pytest.mark.parametrize("name", TABLES)
def test_hudi_writes_to_a_table_that_firth_created(hudi, tmp_path, name):
    path = tmp_path / name
    create = [tables.FIRTH, "create", path, "--schema", COLUMNS, *TABLES[name], "--json"]
    made = json.loads(subprocess.run(create, capture_output=True, check=True).stdout)
    assert hudi("read", path=str(path), options={})["rows"] == []

    def write(operation, rows):
        # Whatever is not said here Hudi takes from the table.
        options = {
            "hoodie.table.name": name,
            "hoodie.datasource.write.operation": operation,
            "hoodie.write.table.version": str(made["version"]),
            "hoodie.write.auto.upgrade": "false",
        }
        hudi("write", path=str(path), schema=COLUMNS, rows=rows, options=options)

    write("insert", [row(key, 100) for key in range(10)])
    assert len(compare(hudi, path)) == 10
    write("upsert", [row(3, 100), row(4, 100), row(20, 100)])
    write("delete", [row(5, 100)])
    assert len(compare(hudi, path)) == 10
    kept = json.loads(
        subprocess.run(
            [tables.FIRTH, "show", path, "--json"], capture_output=True, check=True
        ).stdout
    )["properties"]
    changed = {key for key, value in made["properties"].items() if kept.get(key) != value}
    assert not changed, f"Hudi changed {changed}"
