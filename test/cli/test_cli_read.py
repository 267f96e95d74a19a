# SPDX-License-Identifier: Apache-2.0
"""firth read: every format carries the rows that Hudi recorded."""

import csv
import datetime
import decimal
import io
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest


def by_key(rows):
    return sorted(rows, key=lambda row: str(row["id"]))


def same_as_recorded(found, recorded):
    """Recorded timestamps lack the Z that firth writes behind zoned ones."""

    def bare(value):
        if isinstance(value, str) and value.endswith("Z") and "T" in value:
            return value[:-1]
        if isinstance(value, list):
            return [bare(item) for item in value]
        if isinstance(value, dict):
            return {key: bare(item) for key, item in value.items()}
        return value

    return bare(by_key(found)) == by_key(recorded)


def json_value(value):
    """An Arrow value, as Python has it, in the spelling of JSON lines."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%S.%f") + ("Z" if value.tzinfo else "")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: json_value(item) for key, item in value.items()}
    if isinstance(value, list):
        if value and isinstance(value[0], tuple):  # a map
            return {key: json_value(item) for key, item in value}
        return [json_value(item) for item in value]
    return value


def arrow_rows(table):
    maps = [field.name for field in table.schema if pa.types.is_map(field.type)]
    rows = [{name: json_value(value) for name, value in row.items()} for row in table.to_pylist()]
    for row in rows:
        row.update({name: {} for name in maps if row[name] == []})
    return rows


@pytest.mark.parametrize("name", ["basic", "types"])
def test_jsonl_is_what_hudi_recorded(firth, request, name):
    table = request.getfixturevalue(name)
    result = firth("read", table.path)
    assert result.code == 0 and result.err == ""
    assert same_as_recorded(result.rows, table.rows(table.expected["snapshot"]))


def test_json_means_jsonl(firth, basic):
    assert by_key(firth("read", basic.path, "--json").rows) == by_key(
        firth("read", basic.path).rows
    )


@pytest.mark.parametrize("name", ["basic", "types"])
def test_arrow_and_parquet_hold_the_rows_of_jsonl(firth, request, name, tmp_path):
    table = request.getfixturevalue(name)
    lines = by_key(firth("read", table.path).rows)
    stream = firth("read", table.path, "--format", "arrow").out
    assert by_key(arrow_rows(pa.ipc.open_stream(stream).read_all())) == lines
    target = tmp_path / "rows.arrow"
    assert firth("read", table.path, "-o", target).out == b""
    assert by_key(arrow_rows(pa.ipc.open_file(target).read_all())) == lines
    target.unlink()
    target = tmp_path / "rows.arrows"
    assert firth("read", table.path, "--format", "arrow", "-o", target).out == b""
    assert by_key(arrow_rows(pa.ipc.open_stream(target).read_all())) == lines
    target.unlink()
    target = tmp_path / "rows.parquet"
    assert firth("read", table.path, "-o", target).out == b""
    assert by_key(arrow_rows(pq.read_table(target))) == lines
    piped = firth("read", table.path, "--format", "parquet").out
    assert by_key(arrow_rows(pq.read_table(io.BytesIO(piped)))) == lines
    assert list(tmp_path.iterdir()) == [target]  # no temporary file is left


def test_csv_holds_the_rows_of_jsonl(firth, basic):
    lines = by_key(firth("read", basic.path).rows)
    text = firth("read", basic.path, "--format", "csv").text
    found = by_key(csv.DictReader(io.StringIO(text)))
    assert len(found) == len(lines)
    for row, line in zip(found, lines, strict=True):
        for name, value in line.items():
            assert row[name] == ("" if value is None else str(value))


def test_table_aligns_columns_and_counts(firth, basic):
    lines = firth("read", basic.path, "--format", "table", "--columns", "id,name").text.splitlines()
    assert lines[0].split() == ["id", "name"]
    assert set(lines[1]) == {"-", " "}
    assert lines[-1] == "(67 rows)" and len(lines) == 67 + 3


def test_columns_come_in_the_order_asked_for(firth, basic):
    rows = firth("read", basic.path, "--columns", "ts,id").rows
    assert len(rows) == 67 and all(list(row) == ["ts", "id"] for row in rows)


def test_columns_are_found_in_any_case_and_with_blanks(firth, basic):
    rows = firth("read", basic.path, "--columns", "TS, Id").rows
    assert len(rows) == 67 and all(list(row) == ["ts", "id"] for row in rows)


def test_file_addresses_name_the_same_table(firth, basic, tmp_path):
    rows = firth("read", basic.path).out
    (tmp_path / "a b").symlink_to(basic.path)
    for address in (f"file://{basic.path}", f"File:{basic.path}", f"file://{tmp_path}/a%20b"):
        assert firth("read", address).out == rows


def test_meta_columns_come_first(firth, basic):
    rows = firth("read", basic.path, "--meta").rows
    recorded = basic.rows(basic.expected["snapshot"], meta=True)
    assert list(rows[0])[:5] == [
        "_hoodie_commit_time",
        "_hoodie_commit_seqno",
        "_hoodie_record_key",
        "_hoodie_partition_path",
        "_hoodie_file_name",
    ]
    assert by_key(rows) == by_key(recorded)


@pytest.mark.parametrize(
    ("where", "holds"),
    [
        ("price < 13", lambda r: r["price"] is not None and r["price"] < 13),
        ("id IN (1, 5, 9) OR part = 'p2'", lambda r: r["id"] in (1, 5, 9) or r["part"] == "p2"),
        ("name LIKE '%-c' AND NOT qty = 5", lambda r: r["name"].endswith("-c") and r["qty"] != 5),
        ("price IS NULL", lambda r: r["price"] is None),
        ("ts BETWEEN 100 AND 150", lambda r: 100 <= r["ts"] <= 150),
        ("id > 99999999999", lambda r: False),
        (
            "UPPER(name) LIKE '%-C' AND abs(qty) <> 5",
            lambda r: r["name"].endswith("-c") and r["qty"] != 5,
        ),
        (
            "from_unixtime(ts) >= '1970-01-01 00:02:30' AND length(substring(name, 6)) = 4",
            lambda r: r["ts"] >= 150 and len(r["name"]) == 9,
        ),
    ],
)
def test_where_selects_rows(firth, basic, where, holds):
    recorded = basic.rows(basic.expected["snapshot"])
    found = firth("read", basic.path, "--where", where).rows
    assert by_key(found) == by_key(filter(holds, recorded))


@pytest.mark.parametrize("limit", [0, 1, 66, 67, 68, 9223372036854775807])
def test_limit(firth, basic, limit):
    assert len(firth("read", basic.path, "--limit", limit).rows) == min(limit, 67)


def test_as_of_gives_the_older_rows(firth, basic):
    for instant, view in basic.expected["time_travel"].items():
        rows = firth("read", basic.path, "--as-of", instant).rows
        assert by_key(rows) == by_key(basic.rows(view))


def test_read_optimized_leaves_logs_unread(firth, basic):
    rows = firth("read", basic.path, "--read-optimized").rows
    assert by_key(rows) == by_key(basic.rows(basic.expected["read_optimized"]))


def test_incremental_gives_the_changed_rows(firth, basic):
    for view in basic.expected["incremental"]:
        end = ["--end", view["end"]] if view["end"] else []
        rows = firth("read", basic.path, "--incremental", view["begin"], *end).rows
        assert by_key(rows) == by_key(basic.rows(view))


def test_an_empty_table_has_no_rows_in_any_format(firth, golden, tmp_path):
    path = golden("v9_cow_empty").path
    assert firth("read", path).out == b""
    assert firth("read", path, "--format", "csv").text.count("\n") == 1
    assert firth("read", path, "--format", "table").text.endswith("(0 rows)\n")
    assert pa.ipc.open_stream(firth("read", path, "--format", "arrow").out).read_all().num_rows == 0
    assert firth("read", path, "-o", tmp_path / "r.arrow").code == 0
    assert pa.ipc.open_file(tmp_path / "r.arrow").read_all().num_rows == 0
    assert firth("read", path, "-o", tmp_path / "r.parquet").code == 0
    assert pq.read_table(tmp_path / "r.parquet").num_rows == 0


def test_threads_and_budget_change_nothing(firth, basic):
    rows = firth("read", basic.path).out
    assert firth("read", basic.path, "--threads", "1", "--memory-budget", "16MiB").out == rows
    assert firth("read", basic.path, "--threads", "7").out == rows


def test_a_file_is_replaced_only_when_the_read_succeeds(firth, basic, tmp_path):
    target = tmp_path / "rows.jsonl"
    target.write_text("old")
    assert firth("read", basic.path, "--where", "nothing", "-o", target).code == 2
    assert target.read_text() == "old"
    assert firth("read", basic.path, "-o", target).code == 0
    assert len(target.read_text().splitlines()) == 67
    assert list(tmp_path.iterdir()) == [target]


def test_a_promise_of_unique_keys_is_taken_at_its_word(firth, golden):
    twice = golden("v9_cow_record_index_twice")
    key = ("read", twice.path, "--where", "id = 3", "--format", "jsonl")
    assert len(firth(*key).rows) == 2
    assert len(firth(*key, "--unique-keys").rows) == 1, "keys are there twice"


def test_explain_tells_what_was_read(firth, basic):
    report = firth("read", basic.path, "--where", "part = 'p1'", "--explain", "--json").json
    assert report["rows"] == sum(r["part"] == "p1" for r in basic.rows(basic.expected["snapshot"]))
    assert report["bytes_read"] > 0 and report["log_records"] > 0
    text = firth("read", basic.path, "--explain").text
    assert "rows returned" in text and json.dumps(report) not in text
