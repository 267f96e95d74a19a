# SPDX-License-Identifier: Apache-2.0
"""Lookups in indexes from Python, against a scan of the same table."""

import shutil

import pytest

import firth


@pytest.fixture
def indexed(unpack):
    return firth.open(unpack("v9_cow_expr_index"))


@pytest.fixture
def rows(indexed):
    return indexed.read(meta=True).to_list()


def test_indexes_are_listed(indexed):
    found = {index.name: index for index in indexed.indexes()}
    assert found["record_index"].state == "ready" and not found["record_index"].partitioned
    assert found["secondary_index_idx_name"].columns == ["name"]
    assert found["expr_index_idx_expr"].function == "from_unixtime"
    assert all(index.bytes > 0 and index.reason == "" for index in found.values())
    assert "record_index ready" in repr(found["record_index"])


def test_every_key_is_found_in_its_file(indexed, rows):
    answer = indexed.lookup([row["_hoodie_record_key"] for row in rows] + ["nobody"])
    assert {(at.key, at.partition, at.file_id) for at in answer.locations} == {
        (
            row["_hoodie_record_key"],
            row["_hoodie_partition_path"],
            row["_hoodie_file_name"].split("_")[0],
        )
        for row in rows
    }
    assert answer.cost.bytes > 0 and answer.cost.requests > 0
    assert [at.key for at in indexed.lookup("17").locations] == ["17"]
    assert indexed.lookup("17", partition="p0").locations == []
    assert indexed.lookup([]).locations == []


def test_a_snapshot_is_asked_as_it_was(indexed):
    first = indexed.timeline()[0].requested
    snapshot = indexed.snapshot(as_of=first)
    keys = [row["_hoodie_record_key"] for row in snapshot.read(meta=True).to_list()]
    assert sorted(at.key for at in snapshot.lookup(keys).locations) == sorted(keys)
    assert sorted(at.key for at in indexed.lookup(keys, as_of=first).locations) == sorted(keys)


def test_rows_of_a_value_are_those_of_a_scan(indexed, rows):
    name = rows[0]["name"]
    one = indexed.lookup(column="name", value=name)
    assert one.index == "secondary_index_idx_name"
    assert [match.key for match in one.matches] == [
        row["_hoodie_record_key"] for row in rows if row["name"] == name
    ]
    several = indexed.lookup(column="name", value=[name, rows[1]["name"], None, 5, True])
    assert {match.value for match in several.matches} == {name, rows[1]["name"]}


def test_column_statistics_are_those_of_the_rows(indexed, rows):
    answer = indexed.column_statistics(["ts", "name"])
    for of in answer.statistics:
        values = [
            row[of.column]
            for row in rows
            if of.file == f"{row['_hoodie_partition_path']}/{row['_hoodie_file_name']}"
        ]
        assert of.stored and (of.min, of.max) == (min(values), max(values))
        assert (of.rows, of.nulls) == (len(values), 0)
    (absent,) = indexed.column_statistics(["ts"], files=["p0/nope.parquet"]).statistics
    assert not absent.stored and absent.min is None and absent.rows is None
    assert indexed.column_statistics(["ts"], files=[]).statistics == []
    with pytest.raises(TypeError, match="files is the text 'p0/nope'; must be a list of paths"):
        indexed.column_statistics(["ts"], files="p0/nope")


def test_columns_are_found_as_reads_find_them(indexed, rows):
    assert {of.column for of in indexed.column_statistics(["TS"]).statistics} == {"ts"}
    name = rows[0]["name"]
    assert indexed.lookup(column="NAME", value=name).matches != []
    for ask in (
        lambda column: indexed.column_statistics([column]),
        lambda column: indexed.lookup(column=column, value="x"),
    ):
        with pytest.raises(firth.InvalidArgumentError, match='no column "nme"; did you mean'):
            ask("nme")
        with pytest.raises(firth.InvalidArgumentError, match='"ts" has type int64 and no field'):
            ask("ts.x")


def test_bloom_filters_know_the_keys_of_their_files(indexed, rows):
    keys = [row["_hoodie_record_key"] for row in rows]
    for file_slice in indexed.files():
        answer = indexed.bloom_filter(file_slice.base_file, keys)
        own = [file_slice.base_file.endswith("/" + row["_hoodie_file_name"]) for row in rows]
        assert all(possible for possible, is_own in zip(answer.possible, own) if is_own)
        assert sum(answer.possible) < len(keys) and answer.cost.bytes > 0
    with pytest.raises(firth.NotFoundError, match=r"no filter of p0/nope\.parquet"):
        indexed.bloom_filter("p0/nope.parquet", "1")


def test_damage_that_is_no_text_is_quoted(tmp_path, unpack):
    shutil.copytree(unpack("v9_cow_expr_index"), tmp_path / "t")
    for log in (tmp_path / "t/.hoodie/metadata/record_index").glob(".record-index-0003*1845*"):
        content = bytearray(log.read_bytes())
        content[100:164] = b"\xaa" * 64  # in the schema
        log.write_bytes(content)
    with pytest.raises(firth.CorruptError, match=r"schema is not JSON: .*\\xaa\\xaa"):
        firth.open(tmp_path / "t").lookup([str(key) for key in range(100)])


def test_what_cannot_be_answered_is_an_error(indexed, tickets):
    with pytest.raises(firth.NotFoundError, match="no record index; its indexes are"):
        tickets.lookup("T-1001")
    with pytest.raises(firth.NotFoundError, match='no secondary index of column "qty"'):
        indexed.lookup(column="qty", value=1)
    with pytest.raises(firth.InvalidArgumentError, match="either keys, or column"):
        indexed.lookup()
    with pytest.raises(firth.InvalidArgumentError, match="either keys, or column"):
        indexed.lookup("1", column="name", value="x")
    for senseless, message in (
        ({"column": "name"}, "column needs value"),
        ({"keys": "17", "value": "x"}, "value goes with column"),
        ({"keys": "17", "value": None}, "value goes with column"),
        ({"column": "name", "value": "x", "partition": "p0"}, "partition goes with keys"),
    ):
        with pytest.raises(firth.InvalidArgumentError, match=message):
            indexed.lookup(**senseless)
    with pytest.raises(TypeError, match=r"keys\[1\] is 2 \(int\)"):
        indexed.lookup(["1", 2])
    with pytest.raises(TypeError, match="value is 0.5"):
        indexed.lookup(column="name", value=0.5)


def test_reads_of_keys_and_values_ask_the_indexes(indexed):
    for where, index in (
        ("id = 17", "record index"),
        ([("name", "=", "name-17-a")], "secondary_index_idx_name"),
    ):
        told = indexed.explain(where=where)
        assert told["rows"] == 1 and told["slices_pruned"] == 2
        assert f"{index}: 2 of 3 file slices skipped" in told["notes"]


def test_keys_that_are_twice_are_noticed_unless_others_are_promised(unpack):
    twice = firth.open(unpack("v9_cow_record_index_twice"))
    told = twice.explain(where="id = 3")
    assert told["rows"] == 2
    assert any("not used: record_index has" in note for note in told["notes"])
    # The promise isn't true, and the answer lacks a row.
    assert twice.explain(where="id = 3", unique_keys=True)["rows"] == 1
    assert twice.snapshot().read(where="id = 3", unique_keys=True).to_arrow().num_rows == 1
