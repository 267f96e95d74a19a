# SPDX-License-Identifier: Apache-2.0
"""firth index and firth stats --column, over tables with what Hudi recorded of their rows."""

import os

import pytest


@pytest.fixture(scope="module")
def indexed(golden):
    """61 rows or so with a record index, a secondary index, expression indexes, bloom filters."""
    return golden("v9_cow_expr_index")


@pytest.fixture(scope="module")
def rows(indexed):
    return indexed.rows(indexed.expected["snapshot"], meta=True)


def place(row):
    return (row["_hoodie_partition_path"], row["_hoodie_file_name"].split("_")[0])


def test_list_names_every_index_of_the_table(firth, indexed):
    found = firth("index", "list", indexed.path, "--json").json
    recorded = indexed.expected["properties"]["hoodie.table.metadata.partitions"].split(",")
    assert [index["name"] for index in found] == sorted(recorded)
    assert all(index["state"] == "ready" and index["bytes"] > 0 for index in found)
    text = firth("index", "list", indexed.path).text
    assert all(f"\n{name} " in text for name in recorded)


def test_show_tells_about_one_index(firth, indexed):
    found = firth("index", "show", indexed.path, "expr_index_idx_expr", "--json").json
    definition = indexed.expected["index_defs"]["indexDefinitions"]["expr_index_idx_expr"]
    assert found["type"] == "expression_index"
    assert (found["columns"], found["function"]) == (["ts"], definition["indexFunction"])
    text = firth("index", "show", indexed.path, "record_index").text
    assert "partitioned  no" in text and "state        ready" in text


def test_every_key_is_found_in_its_file(firth, indexed, rows):
    options = [part for row in rows for part in ("--key", row["_hoodie_record_key"])]
    env = os.environ | {"TZ": "UTC"}
    found = firth("index", "lookup", indexed.path, *options, "--json", env=env).json
    assert {(at["key"], at["partition"], at["file_id"]) for at in found["locations"]} == {
        (row["_hoodie_record_key"], *place(row)) for row in rows
    }
    writes = {entry["requested"] for entry in firth("timeline", indexed.path, "--json").json}
    assert {at["instant"] for at in found["locations"]} <= writes
    assert found["cost"]["bytes"] > 0 and found["cost"]["file_groups"] > 0


def test_a_past_snapshot_has_the_keys_of_then(firth, indexed):
    as_of = min(indexed.expected["time_travel"])
    view = indexed.expected["time_travel"][as_of]
    key = indexed.rows(view, meta=True)[0]["_hoodie_record_key"]
    found = firth("index", "lookup", indexed.path, "--key", key, "--as-of", as_of, "--json")
    assert [at["key"] for at in found.json["locations"]] == [key]


def test_rows_of_a_value_are_those_of_a_scan(firth, indexed, rows):
    names = sorted({row["name"] for row in rows})[:20]
    options = [part for name in names for part in ("--value", name)]
    found = firth("index", "lookup", indexed.path, "--column", "name", *options, "--json").json
    assert found["index"] == "secondary_index_idx_name"
    assert {(match["value"], match["key"]) for match in found["matches"]} == {
        (row["name"], row["_hoodie_record_key"]) for row in rows if row["name"] in names
    }


def test_what_is_not_there_exits_with_3(firth, indexed, basic):
    for arguments, message in [
        (["lookup", indexed.path, "--key", "nobody"], 'no row has the key "nobody"'),
        (["lookup", indexed.path, "--column", "name", "--value", "x"], "no row has such a value"),
        (["lookup", indexed.path, "--column", "NAME", "--null"], "no row has such a value"),
        (["lookup", indexed.path, "--column", "qty", "--value", "1"], "no secondary index of"),
        (["lookup", basic.path, "--key", "1"], "no record index; its indexes are:"),
        (["show", indexed.path, "nope"], 'no index "nope"; its indexes are: bloom_filters, '),
    ]:
        result = firth("index", *arguments)
        assert (result.code, result.out) == (3, b"") and message in result.err, result.err


def test_bad_usage_exits_with_2(firth, indexed):
    for arguments in [
        ["lookup", indexed.path],
        ["lookup", indexed.path, "--column", "name"],
        ["lookup", indexed.path, "--value", "x"],
        ["lookup", indexed.path, "--null"],
        ["lookup", indexed.path, "--key", "1", "--null"],
        ["lookup", indexed.path, "--column", "nme", "--null"],
        ["lookup", indexed.path, "--key", "1", "--column", "name", "--value", "x"],
        ["show", indexed.path],
        [],
    ]:
        result = firth("index", *arguments)
        assert result.code == 2 and result.err.count("\n") == 1, result.err
    for option in (["--threads", "2"], ["--memory-budget", "1GiB"]):
        result = firth("stats", indexed.path, "--column", "ts", *option)
        assert result.code == 2 and option[0] in result.err, result.err


def test_stats_of_a_column_are_those_of_its_rows(firth, indexed, rows):
    found = firth("stats", indexed.path, "--column", "ts,qty", "--json").json["statistics"]
    assert len(found) == 2 * len({place(row) for row in rows})
    for of in found:
        group = tuple(of["file"].split("_")[0].split("/"))
        values = [row[of["column"]] for row in rows if place(row) == group]
        assert of["stored"]
        assert (of["min"], of["max"]) == (min(values), max(values))
        assert (of["rows"], of["nulls"]) == (len(values), 0)
    assert "p0/" in firth("stats", indexed.path, "--column", "ts").text


def test_stats_of_a_column_that_has_none_say_so(firth, indexed):
    found = firth("stats", indexed.path, "--column", "_hoodie_file_name", "--json").json
    assert found["statistics"] and not any(of["stored"] for of in found["statistics"])
    assert all(of["min"] is None and of["rows"] is None for of in found["statistics"])
    assert "(not stored)" in firth("stats", indexed.path, "--column", "_hoodie_file_name").text
    result = firth("stats", indexed.path, "--column", "nope")
    read = firth("read", indexed.path, "--columns", "nope")
    assert (result.code, result.err) == (2, read.err) and 'no column "nope"' in result.err
    result = firth("stats", indexed.path, "--column", "ts.x")
    assert result.code == 2 and '"ts" has type int64 and no field "x"' in result.err
    assert (
        firth("stats", indexed.path, "--column", "TS", "--json").json
        == firth("stats", indexed.path, "--column", "ts", "--json").json
    )


def test_stats_of_times_and_decimals_read_as_the_rows_do(firth, golden):
    tickets = golden("tickets")
    rows = tickets.rows(tickets.expected["snapshot"], meta=True)
    slices = firth("files", tickets.path, "--json").json
    without_logs = [s for s in slices if not s["log_files"]]
    found = firth("stats", tickets.path, "--column", "opened,amount", "--json").json["statistics"]
    bounds = {(of["file"], of["column"]): (of["min"], of["max"]) for of in found}
    assert without_logs
    for file_slice in without_logs:
        own = [row for row in rows if file_slice["file_id"] in row["_hoodie_file_name"]]
        opened = [row["opened"].replace("T", " ") for row in own]
        amounts = sorted((row["amount"] for row in own), key=float)
        assert bounds[file_slice["base_file"], "opened"] == (min(opened), max(opened))
        assert bounds[file_slice["base_file"], "amount"] == (amounts[0], amounts[-1])
