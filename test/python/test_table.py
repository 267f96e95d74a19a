# SPDX-License-Identifier: Apache-2.0
"""Opening, describing and reading tables from Python. Expected values: test/data/tables."""

import concurrent.futures
import datetime
import gc
import inspect

import pyarrow
import pytest

import firth


def test_open_says_what_the_table_is(tickets):
    assert tickets.version == 9
    assert tickets.info.name == "tickets"
    assert tickets.info.type == "MERGE_ON_READ"
    assert tickets.info.record_key_fields == ["id"]
    assert tickets.info.partition_fields == ["country"]
    assert tickets.info.ordering_fields == ["updated"]
    assert tickets.info.properties["hoodie.table.version"] == "9"
    assert "tickets" in repr(tickets)


def test_schema_has_the_types_that_spark_declared(tickets):
    schema = tickets.schema
    assert schema.names[:3] == ["id", "opened", "customer"]
    assert schema.field("id").type == pyarrow.string()
    assert schema.field("opened").type == pyarrow.timestamp("us", "UTC")
    assert schema.field("amount").type == pyarrow.decimal128(10, 2)
    assert schema.field("priority").type == pyarrow.int32()
    assert schema.field("emb").type.value_type == pyarrow.float32()


def test_timeline_lists_every_commit_and_files_every_slice(tickets):
    timeline = tickets.timeline()
    assert [entry.action for entry in timeline] == ["deltacommit"] * 4
    assert {entry.state for entry in timeline} == {"completed"}
    assert all(entry.completed > entry.requested for entry in timeline)
    files = tickets.files()
    assert {slice.partition for slice in files} == {"de", "fr", "us"}
    assert sum(slice.base_file is not None for slice in files) == 5
    assert sum(len(slice.log_files) for slice in files) == 5


def test_read_merges_updates_and_deletes(tickets):
    rows = {row["id"]: row for row in tickets.read().to_list()}
    assert len(rows) == 26
    assert "T-1009" not in rows
    assert rows["T-1010"]["status"] == "closed"
    assert rows["T-1010"]["note"] == "refunded"
    assert rows["T-1001"]["opened"] == datetime.datetime(2026, 3, 2, 8, 14, tzinfo=datetime.UTC)


def test_read_returns_the_wanted_columns_and_rows(tickets):
    table = tickets.read(
        columns=["status", "id"], where="country = 'de' AND priority >= 3"
    ).to_arrow()
    assert table.schema.names == ["status", "id"]
    assert sorted(table["id"].to_pylist()) == ["T-1010", "T-1013"]
    tuples = [("country", "=", "de"), ("priority", ">=", 3)]
    assert tickets.read(columns=["status", "id"], where=tuples).to_arrow().equals(table)
    functions = "upper(country) = 'DE' AND substring(country, 1, 1) = 'd' AND abs(priority) >= 3"
    assert tickets.read(columns=["status", "id"], where=functions).to_arrow().equals(table)


def test_read_stops_at_the_limit_and_shows_meta_columns(tickets):
    table = tickets.read(limit=5, meta=True).to_arrow()
    assert table.num_rows == 5
    assert table.schema.names[:2] == ["_hoodie_commit_time", "_hoodie_commit_seqno"]


def test_time_travel_takes_instants_and_datetimes(tickets):
    first, second = (entry.requested for entry in tickets.timeline()[:2])
    assert tickets.read(as_of=first).to_arrow().num_rows == 24
    assert tickets.snapshot(as_of=second).read(where="status = 'closed'").to_arrow().num_rows == 2
    assert tickets.snapshot(as_of=second).instant == second
    moment = datetime.datetime.strptime(second, "%Y%m%d%H%M%S%f") - datetime.timedelta(seconds=1)
    assert tickets.snapshot(as_of=moment).instant == first


def test_incremental_returns_the_changed_rows(tickets):
    points = [entry.completed for entry in tickets.timeline()]
    changed = tickets.incremental(points[2], columns=["id"]).to_arrow()["id"].to_pylist()
    assert sorted(changed) == ["T-1010", "T-1022", "T-1025", "T-1026", "T-1027"]
    assert tickets.incremental("earliest").to_arrow().num_rows == 26
    between = tickets.incremental(points[0], points[1], columns=["id"]).to_arrow()
    assert set(between["id"].to_pylist()) <= {"T-1001", "T-1003", "T-1004", "T-1010"}


def test_read_optimized_leaves_out_the_logs(tickets):
    base_only = tickets.read(read_optimized=True).to_arrow()
    assert base_only.num_rows != tickets.read().to_arrow().num_rows


def test_result_is_a_stream_that_others_consume(tickets):
    import duckdb
    import polars

    result = tickets.read(columns=["id", "country", "amount"])
    assert pyarrow.table(result).num_rows == 26
    assert len(result.to_pandas()) == 26
    assert result.to_polars()["amount"].sum() == polars.DataFrame(result)["amount"].sum()
    query = "SELECT country, count(*) FROM result GROUP BY country ORDER BY country"
    assert [row[0] for row in duckdb.sql(query).fetchall()] == ["de", "fr", "us"]
    assert sum(batch.num_rows for batch in result.to_reader()) == 26


def test_result_reads_its_snapshot_again_each_time(tickets):
    result = tickets.read(columns=["id"])
    assert result.to_arrow().sort_by("id").equals(result.to_arrow().sort_by("id"))
    assert result.report()["slices"] == 5


def test_explain_tells_what_a_read_took(tickets):
    told = tickets.explain(["id"], "priority > 2")
    assert told["rows"] == tickets.read(["id"], "priority > 2").to_arrow().num_rows
    assert told["slices"] == 5 and told["bytes_read"] > 0
    assert "column statistics of priority" in " ".join(told["notes"])
    listed = tickets.explain(use_metadata=False)
    assert listed["rows"] == 26 and listed["list_calls"] > told["list_calls"]
    result = tickets.read(limit=3)
    assert result.explain() == {"rows": 3} | result.report()


def test_explain_takes_what_reads_take(tickets, tmp_path):
    told = tickets.explain(["id"], "priority > 2", batch_rows=1, spill_dir=tmp_path)
    assert told["rows"] == tickets.explain(["id"], "priority > 2")["rows"]
    with pytest.raises(TypeError, match="spill_dir is 5"):
        tickets.explain(spill_dir=5)


def test_explain_travels_as_reads_do(tickets):
    begin, past = "20261130190602012", "20261130190547701"
    assert tickets.explain(begin=begin)["rows"] == len(tickets.incremental(begin).to_list())
    assert tickets.explain(as_of=past)["rows"] == len(tickets.read(as_of=past).to_list())
    assert tickets.snapshot(past).explain()["rows"] == tickets.explain(as_of=past)["rows"]
    promise = {"begin": begin, "unique_keys": True}
    for senseless in ({"end": past}, {"begin": begin, "as_of": past}, promise):
        with pytest.raises(firth.InvalidArgumentError):
            tickets.explain(**senseless)


def test_batches_cross_without_a_copy(tickets):
    """Two consumers of the same rows hold the same buffers."""
    search = tickets.search_text("payment", column="body")
    first, second = (search.to_arrow()["id"].chunk(0).buffers() for _ in range(2))
    assert first[2].address == second[2].address


def test_an_unconsumed_stream_is_released(tickets):
    tickets.read().__arrow_c_stream__()
    gc.collect()
    assert tickets.read(limit=1).to_arrow().num_rows == 1


def test_reads_from_several_threads_agree(tickets):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        counts = pool.map(lambda _: tickets.read(threads=2).to_arrow().num_rows, range(32))
    assert set(counts) == {26}


def test_table_refresh_keeps_pinned_snapshots(tickets):
    snapshot = tickets.snapshot()
    tickets.refresh()
    assert snapshot.read().to_arrow().num_rows == 26


def test_empty_table_reads_as_no_rows(unpack):
    table = firth.open(unpack("v9_cow_empty"))
    assert table.read().to_arrow().num_rows == 0
    assert table.snapshot().instant == ""


@pytest.mark.parametrize("how", ["latest", "as_of"])
def test_snapshot_is_pinned_already(tickets, how):
    snapshot = tickets.snapshot()
    if how == "as_of":
        with pytest.raises(TypeError, match="pinned"):
            snapshot.read(as_of="20260101")
    else:
        assert snapshot.read(columns=["id"]).to_arrow().num_rows == 26


def test_everything_public_says_what_it_is(tickets):
    for name in firth.__all__:
        item = getattr(firth, name)
        if isinstance(item, type):
            assert item.__doc__, name
            for member, value in vars(item).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert inspect.getdoc(getattr(item, member)), (name, member)
    assert "hoodie.properties" in firth.TableInfo.properties.__doc__
    assert repr(tickets.info) == "<table tickets version 9 MERGE_ON_READ>"
    search = tickets.search_text("x", "body").where("id = 'a'").limit(3)
    assert repr(search) == "<firth.TextSearch limit 3 where id = 'a'>"
