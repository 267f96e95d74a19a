# SPDX-License-Identifier: Apache-2.0
"""Random tables written by Hudi on Spark: after every step both must read the same rows.

INTEROP_SEED chooses the tables, INTEROP_STEPS how long each lives.
"""

import os
import random

import pytest
import rows as canon
import tables

SEED = int(os.environ.get("INTEROP_SEED", "1"))
STEPS = int(os.environ.get("INTEROP_STEPS", "7"))
SCHEMA = (
    "id int, name string, price decimal(10,2), at timestamp, day date, score double, "
    "tags array<string>, place struct<city: string, zip: int>, ts bigint, part string"
)
OPERATIONS = ["upsert"] * 5 + ["insert", "delete", "delete", "compact", "cluster", "overwrite"]


def random_row(rng, key, ts):
    def maybe(value):
        return None if rng.random() < 0.15 else value

    return {
        "id": key,
        "name": maybe(rng.choice(["", "a", "Zoë", "漢字", 'quo"te', "x" * 300])),
        "price": maybe(f"{rng.randint(-(10**7), 10**7) / 100:.2f}"),
        "at": maybe(
            f"20{rng.randint(10, 40)}-0{rng.randint(1, 9)}-11T10:20:30.{rng.randint(0, 999999):06d}"
        ),
        "day": maybe(f"19{rng.randint(60, 99)}-11-0{rng.randint(1, 9)}"),
        "score": maybe(rng.choice([0.0, -1.5, 1e300, rng.random()])),
        "tags": maybe([rng.choice(["red", "green", ""]) for _ in range(rng.randint(0, 3))]),
        "place": maybe({"city": maybe("Ulm"), "zip": maybe(rng.randint(0, 99999))}),
        "ts": ts + rng.randint(-2, 2),
        "part": f"p{key % 3}",
    }


def table_options(name, table_type, version):
    return {
        "hoodie.table.name": name,
        "hoodie.datasource.write.table.type": table_type,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": "ts",
        "hoodie.write.table.version": str(version),
        "hoodie.write.auto.upgrade": "false",
        "hoodie.compact.inline": "false",
        "hoodie.embed.timeline.server": "false",
    }


class RandomTable:
    """One table in the making; `step` changes it by one random operation."""

    def __init__(self, hudi, path, table_type, version, rng):
        self._hudi, self._path, self._rng = hudi, str(path), rng
        self._options = table_options(path.name, table_type, version)
        self._is_mor = table_type == "MERGE_ON_READ"
        self._next_key, self._ts = 0, 100

    def step(self, first=False):
        operation = "insert" if first else self._rng.choice(OPERATIONS)
        self._ts += 10
        if operation == "compact" and self._is_mor:
            self._call("run_compaction", "scheduleandexecute", "compact.inline.max.delta.commits")
        elif operation == "cluster":
            self._call("run_clustering", "scheduleandexecute", "clustering.inline.max.commits")
        else:
            self._write(
                {"compact": "upsert", "overwrite": "insert_overwrite"}.get(operation, operation)
            )
        return operation

    def _call(self, procedure, operation, trigger):
        self._hudi(
            "call",
            statement=f"call {procedure}(path => '{self._path}', op => '{operation}', "
            f"options => 'hoodie.{trigger}=1')",
        )

    def _write(self, operation):
        if operation == "insert":
            keys = range(self._next_key, self._next_key + self._rng.randint(1, 40))
            self._next_key = keys.stop
        else:
            keys = self._rng.sample(range(self._next_key + 3), k=min(self._next_key, 9))
            self._next_key += 3
        rows = [random_row(self._rng, key, self._ts) for key in keys]
        options = self._options | {"hoodie.datasource.write.operation": operation}
        self._hudi("write", path=self._path, schema=SCHEMA, rows=rows, options=options)


def hudi_rows(hudi, path, **options):
    answer = hudi("read", path=str(path), options=options)
    return tables.lines(canon.row_with_zones(row, answer["fields"]) for row in answer["rows"])


def compare(hudi, path, arguments, **options):
    expected = hudi_rows(hudi, path, **options)
    answer = tables.read(path, ("--meta", *arguments))
    assert answer.code == tables.DONE, answer.stderr
    assert answer.rows == expected, f"firth read {' '.join(arguments)}"


@pytest.mark.parametrize("version", [9, 8, 6])
@pytest.mark.parametrize("table_type", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_random_table_reads_alike_after_every_step(hudi, tmp_path, table_type, version):
    rng = random.Random(f"{SEED} {table_type} {version}")
    path = tmp_path / f"{table_type[:4].lower()}_{version}_{SEED}"
    table = RandomTable(hudi, path, table_type, version, rng)
    history = []
    for number in range(STEPS):
        history.append(table.step(first=number == 0))
        print(f"step {number}: {history[-1]}")
        compare(hudi, path, ())
        if table_type == "MERGE_ON_READ":
            option = {"hoodie.datasource.query.type": "read_optimized"}
            compare(hudi, path, ("--read-optimized",), **option)
    instants = [e["requested"] for e in tables.timeline(path) if e["state"] == "completed"]
    for instant in rng.sample(instants, k=min(3, len(instants))):
        compare(hudi, path, ("--as-of", instant), **{"as.of.instant": instant})
