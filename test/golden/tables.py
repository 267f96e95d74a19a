# SPDX-License-Identifier: Apache-2.0
"""The golden tables: where they are, what Hudi said about them, and how firth is asked the same."""

import dataclasses
import errno
import functools
import json
import os
import pathlib
import subprocess
import zipfile

import rows as canon

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "test" / "data" / "tables"
SHARED = pathlib.Path(os.environ.get("FIRTH_SHARED", ROOT.parent / "shared"))
FIRTH = pathlib.Path(os.environ.get("FIRTH_COMMAND", ROOT / "build" / "firth"))

# Exit codes of the command.
DONE, FAILED, USAGE, NOT_FOUND, CONFLICT, CORRUPT = range(6)

# A partition column that is stored in the files is read from the files; Spark takes it from the
# path. For these tables the rows as they were written say what is right.
FROM_WRITTEN_ROWS = {
    "v9_cow_hive_urlencode": "part",
    "v9_cow_keygen_hours": "ems",
    "v9_cow_slash_dates": "d",
    "v9_mor_keygen_timestamp": "ems",
    "v9_mor_odd_partition": "part",
    "v9_mor_odd_partition_encoded": "part",
    "v9_mor_odd_partitions": "part",
}
REFUSED_FORMAT = {"v9_cow_orc": "orc"}

# Recorded views that are not what firth must return, and why; test_golden.py has a test for each.
CLEANED = "cleaned"  # Hudi refuses by its retention setting
HALF_READ = "half read"  # files are gone: Hudi returns the rows that are left, silently
NO_META_FIELDS = "no meta fields"  # incremental reads need them
ARCHIVED = "archived"  # Hudi overlooks commits that left the active timeline
GARBAGE = "garbage"  # Hudi returns bytes of its own memory for columns of a partial update
TWO_ORDERING_FIELDS = "two ordering fields"  # Hudi cannot compare nulls in them

# Rows of views recorded with 1.0.2 that 1.2.0 answers differently: {key: columns}.
BY_1_2_0 = {
    "v8_mor_overwrite_non_defaults_payload-incremental_20261129211237879_20261129211239519": {
        "0": {"b": None},
        "1": {"a": None, "c": None},
        "20": {"c": None},
    },
    "v8_mor_overwrite_non_defaults_payload-incremental_20261129211237879_": {
        "0": {"b": None},
        "1": {"a": None, "c": None},
        "20": {"c": None},
    },
}


@dataclasses.dataclass(frozen=True)
class Query:
    """One read of one table, and what Hudi recorded for it: rows, or an error of its own."""

    table: str
    name: str
    arguments: tuple
    rows: tuple | None = None  # canonical lines, sorted
    differs: str | None = None  # why firth's answer is another than Hudi's
    error: str | None = None

    @property
    def id(self):
        return f"{self.table}-{self.name}"


@dataclasses.dataclass(frozen=True)
class Answer:
    code: int
    rows: tuple
    stderr: str


def archives():
    """{table name: its zip}, committed ones first."""
    found = {}
    for folder in (COMMITTED, SHARED / "oracle" / "golden"):
        for path in sorted(folder.glob("*.zip")):
            found.setdefault(path.stem, path)
    return found


def lines(found):
    return tuple(canon.canonical_rows(found))


def _written_values(expected, column):
    """{key: value} of `column` in the rows as written; every key has one value for ever."""
    written = {}
    for step in expected["steps"]:
        for row in step.get("rows", []):
            assert written.setdefault(row["id"], row.get(column)) == row.get(column)
    return written


def _views(expected):
    yield "snapshot", (), expected["snapshot"]
    if "read_optimized" in expected:
        yield "read_optimized", ("--read-optimized",), expected["read_optimized"]
    for instant, view in expected["time_travel"].items():
        yield f"as_of_{instant}", ("--as-of", instant), view
    for view in expected["incremental"]:
        begin, end = view["begin"], view["end"]
        arguments = ("--incremental", begin) + (("--end", end) if end else ())
        yield f"incremental_{begin}_{end or ''}", arguments, view


def _corrected(expected, name, rows):
    """Rows as Hudi 1.2.0 answers for tables that were recorded with 1.0.2, which also returns rows
    of the commit that completed at `begin` itself; the range is (begin, end]."""
    reader = expected.get("read_by", expected["hudi_version"])
    if not name.startswith("incremental_") or reader != "1.0.2":
        return rows
    begin = name.split("_")[1]
    at_begin = {i["requested"] for i in expected["timeline"] if i.get("completed") == begin}
    changes = BY_1_2_0.get(f"{expected['name']}-{name}", {})
    return [
        {**row, **changes.get(row["_hoodie_record_key"], {})}
        for row in rows
        if row["_hoodie_commit_time"] not in at_begin
    ]


def _difference(expected, name, view):
    """Why the recorded view is not what firth must return; None when it is."""
    error = view.get("error", "")
    if "Cleaner cleaned up the timestamp" in error:
        return CLEANED
    if "meta fields are disabled" in error:
        return NO_META_FIELDS
    if expected["name"] == "v9_mor_ordering_multi" and error:
        return TWO_ORDERING_FIELDS
    if name.startswith("incremental_000_2") and "_archived" in expected["name"]:
        return ARCHIVED
    last = max(expected["time_travel"], default="")
    if expected["name"] == "v9_cow_clean_versions" and name.startswith("as_of_"):
        return None if name == f"as_of_{last}" else HALF_READ
    if expected["name"] == "v9_mor_merge_into" and name.endswith("_20261129214142645"):
        return GARBAGE
    return None


def _expected(archive):
    return json.loads(archive.with_name(archive.stem + ".expected.json").read_text())


def written_instants(archive):
    """Requested times of the steps' writes."""
    return [step["result"]["new_instants"][0] for step in _expected(archive)["steps"]]


def written_until(archive, end, by_completion=True):
    """The latest version of every key in the commits completed (or requested) by `end`, by
    replaying the steps of a table that only knows upserts with growing ordering values.
    (commit time, row) pairs."""
    expected = _expected(archive)
    completed = {}
    if by_completion:
        completed = {i["requested"]: i["completed"] or i["requested"] for i in expected["timeline"]}
    latest = {}
    for step in expected["steps"]:
        instant = step["result"]["new_instants"][0]
        if completed.get(instant, instant) <= end:
            latest.update({row["id"]: (instant, row) for row in step["rows"]})
    return list(latest.values())


@functools.cache
def queries(archive):
    """Every recorded view of one table."""
    expected = _expected(archive)
    fields = expected["schema"]
    pool = [canon.row_with_zones(row, fields) for row in expected["rows"]]
    column = FROM_WRITTEN_ROWS.get(expected["name"])
    if column:
        written = _written_values(expected, column)
        pool = [{**row, column: written[row["id"]]} for row in pool]
    meta = ("--meta",)
    if expected["properties"].get("hoodie.populate.meta.fields") == "false":
        # Spark shows five columns of nulls for some of these tables, none for others.
        meta = ()
        pool = [canon.without(row, canon.META_COLUMNS) for row in pool]
    found = []
    for name, arguments, view in _views(expected):
        rows = None
        if "error" not in view:
            rows = lines(_corrected(expected, name, [pool[i] for i in view["rows"]]))
        differs = _difference(expected, name, view)
        query = Query(archive.stem, name, arguments + meta, rows, differs, view.get("error"))
        found.append(query)
    return found


class Tables:
    """Unpacks tables on demand, once each."""

    def __init__(self, folder):
        self._folder = folder

    @functools.cache  # noqa: B019 - one instance lives as long as the test session
    def path(self, archive):
        with zipfile.ZipFile(archive) as content:
            content.extractall(self._folder / archive.stem)
        return table_root(self._folder / archive.stem)


def table_root(folder):
    """The outermost folder that holds a `.hoodie` (the metadata table has one inside)."""
    found = [p.parent for p in folder.rglob(".hoodie") if "__MACOSX" not in p.parts]
    return min(found, key=lambda p: len(p.parts))


def _run(command, attempts=5):
    """Starts a process from one of several threads. exec may answer EFAULT there while the kernel
    reclaims memory: nothing has run then, so it is started again."""
    while True:
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        except OSError as error:
            attempts -= 1
            if error.errno != errno.EFAULT or attempts == 0:
                raise


def read(path, arguments):
    """`firth read` as one process."""
    command = [str(FIRTH), "read", str(path), "--format", "jsonl", *arguments]
    done = _run(command)
    found = [json.loads(line) for line in done.stdout.splitlines()] if done.returncode == 0 else []
    return Answer(done.returncode, lines(found), done.stderr.strip())


def timeline(path):
    """`firth timeline`, as a list of actions."""
    command = [str(FIRTH), "timeline", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found = json.loads(done.stdout)
    return found if isinstance(found, list) else found["timeline"]
