#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what stock Apache Hudi answers for the sample tables of hudi-rs.

Those tables are not part of this project, so only row counts and digests are kept, in
hudi_rs_expected.json. Needs pyspark and the Hudi bundle that the oracle's setup.sh installs:

    PYTHON record_hudi_rs.py --oracle FOLDER_OF_HUDI_ORACLE --fixtures FOLDER [--rows FOLDER]

`--rows` also keeps the full rows, one .jsonl a query, to see what a difference is about.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import rows as canon  # noqa: E402

WRITES = ("commit", "deltacommit", "replacecommit")


def queries(timeline, version, table_type):
    """(name, arguments of the oracle's load) of every query that is recorded."""
    yield "snapshot", {}
    if table_type == "MERGE_ON_READ":
        yield "read_optimized", {"query": "read_optimized"}
    writes = [i for i in timeline if i["state"] == "completed" and i["action"] in WRITES]
    for instant in writes:
        yield f"as_of {instant['requested']}", {"as_of": instant["requested"]}
    points = sorted(
        (i["completed"] or i["requested"]) if version >= 8 else i["requested"] for i in writes
    )
    ranges = [("000", None), *zip(["000", *points], points), *((p, None) for p in points)]
    for begin, end in ranges:
        name = f"incremental {begin} {end or ''}".strip()
        yield name, {"query": "incremental", "begin": begin, "end": end}


def omitted_columns(properties):
    """Columns that are not compared: meta columns that are not populated, and partition columns
    whose value Spark takes from the path and firth from the files."""
    meta = list(canon.META_COLUMNS)
    omit = meta if properties.get("hoodie.populate.meta.fields") == "false" else []
    generator = properties.get("hoodie.table.keygenerator.type", "") + properties.get(
        "hoodie.table.keygenerator.class", ""
    )
    if "TIMESTAMP" not in generator.upper():
        return omit
    fields = properties.get("hoodie.table.partition.fields", "").split(",")
    return omit + [field.split(":")[0] for field in fields if field]


def record(oracle, table, rows_dir):
    properties = oracle.props(str(table))
    version = int(properties.get("hoodie.table.version", "6"))
    omit = omitted_columns(properties)
    entry = {"version": version, "type": properties.get("hoodie.table.type"), "queries": {}}
    if omit:
        entry["omit"] = omit
    timeline = oracle.timeline(str(table))
    for name, arguments in queries(timeline, version, entry["type"]):

        def run(arguments=arguments):
            frame = oracle.load(str(table), **arguments)
            fields = json.loads(frame.schema.json())["fields"]
            found = oracle.rows_of(frame, sort=oracle.key_fields(str(table)))
            return [canon.without(canon.row_with_zones(row, fields), omit) for row in found]

        answer = oracle.guarded(run)
        if isinstance(answer, dict):
            entry["queries"][name] = {"error": answer["error"].split("Exception: ")[-1][:200]}
            continue
        entry["queries"][name] = {"count": len(answer), "sha256": canon.digest(answer)}
        if rows_dir:
            rows_dir.mkdir(parents=True, exist_ok=True)
            lines = canon.canonical_rows(answer)
            (rows_dir / f"{name.replace(' ', '_')}.jsonl").write_text("\n".join(lines) + "\n")
    return entry


def table_root(folder):
    found = sorted(p.parent for p in folder.rglob(".hoodie") if "__MACOSX" not in p.parts)
    return min(found, key=lambda p: len(p.parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--oracle", required=True, type=pathlib.Path)
    parser.add_argument("--fixtures", required=True, type=pathlib.Path)
    parser.add_argument("--rows", type=pathlib.Path)
    here = pathlib.Path(__file__).parent
    parser.add_argument("--out", type=pathlib.Path, default=here / "hudi_rs_expected.json")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.oracle))
    import hudi_oracle as oracle

    oracle.start(oracle.DEFAULT_HUDI)
    tables = {}
    for archive in sorted(arguments.fixtures.rglob("*.zip")):
        name = archive.relative_to(arguments.fixtures).with_suffix("").as_posix()
        with tempfile.TemporaryDirectory() as folder:
            # unzip restores file times, which Hudi reads as completion times in version 6.
            subprocess.run(["unzip", "-q", str(archive), "-d", folder], check=True)
            rows_dir = arguments.rows / name if arguments.rows else None
            if "lance" in name:
                tables[name] = {"refused": "lance"}
            else:
                tables[name] = record(oracle, table_root(pathlib.Path(folder)), rows_dir)
        print(name, len(tables[name].get("queries", [])), file=sys.stderr, flush=True)
        text = json.dumps({"hudi": oracle.DEFAULT_HUDI, "tables": tables}, indent=1)
        arguments.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
