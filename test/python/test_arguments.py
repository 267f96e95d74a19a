# SPDX-License-Identifier: Apache-2.0
"""Arguments that do not fit are refused under their own name, before anything is read."""

import datetime
import pathlib

import numpy
import pandas
import pyarrow
import pytest

import firth

SURROGATE = "a\ud800"


def refused(error, call, *parts):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "incompatible function arguments" not in message and "_condition" not in message
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"columns": "id"}, ["columns is the text 'id'", "must be a list of names: ['id']"]),
        ({"columns": ["id", 3]}, ["columns[1] is 3 (int)", "the name of a column"]),
        ({"columns": 7}, ["columns is 7 (int)", "list of names"]),
        ({"as_of": 20260101}, ["as_of is 20260101 (int)", "datetime"]),
        ({"as_of": pandas.NaT}, ["as_of is NaT"]),
        ({"limit": 1.5}, ["limit is 1.5 (float)", "whole number"]),
        ({"limit": True}, ["limit is True (bool)"]),
        ({"meta": "no"}, ["meta is 'no' (str)", "True or False"]),
        ({"read_optimized": 1}, ["read_optimized is 1 (int)"]),
        ({"threads": "4"}, ["threads is '4' (str)"]),
        ({"batch_rows": None}, ["batch_rows is None"]),
        ({"spill_dir": b"/tmp"}, ["spill_dir is b'/tmp' (bytes)"]),
        ({"where": {"id": 1}}, ["where is {'id': 1} (dict)", "tuples"]),
        ({"where": pyarrow.compute.field("id") == 1}, ["where is", "(Expression)", "tuples"]),
        ({"where": ["id = 1", "id = 2"]}, ["where[0] is 'id = 1' (str)", "(column, operator"]),
        ({"where": ("id", "=", 1)}, ["where[0] is 'id' (str)"]),
        ({"where": [("id", "=", {})]}, ["where[0] compares with {} (dict)"]),
        ({"where": [("id", "=", numpy.timedelta64(1, "s"))]}, ["where[0]", "timedelta64"]),
        ({"where": [("id", "in", "abc")]}, ["where[0] looks in 'abc' (str)", "list of values"]),
        ({"where": [(1, "=", 1)]}, ["where[0][0] is 1 (int)"]),
        ({"where": [("id", None, 1)]}, ["operator of where[0] is None"]),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
)
def test_wrong_types_are_type_errors(tickets, arguments, parts):
    refused(TypeError, lambda: tickets.read(**arguments), *parts)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ({"limit": -7}, ["limit is -7", "0 to 9223372036854775807"]),
        ({"limit": 10**20}, ["limit is 100000000000000000000"]),
        ({"memory_budget": 2**70}, ["memory_budget is 1180591620717411303424"]),
        ({"memory_budget": 1}, ["memory_budget is 1 bytes", "at least 16777216"]),
        ({"threads": -1}, ["threads is -1"]),
        ({"batch_rows": 0}, ["batch_rows is 0"]),
        ({"as_of": ""}, ['time ""']),
        ({"columns": [SURROGATE]}, ["columns[0]", "lone surrogate at position 1"]),
        ({"where": SURROGATE}, ["where", "lone surrogate"]),
        ({"where": [("id", "=", SURROGATE)]}, ["where", "lone surrogate"]),
        ({"where": [("id", "like", "x%")]}, ["operator of where[0] is 'like'", "not in"]),
        ({"where": [("id", "=")]}, ["where[0] has 2 items"]),
        ({"where": [("id", "<", None)]}, ["where[0] compares by < with null"]),
        ({"where": [("id", "in", ["x", None])]}, ["where[0]", "null"]),
    ],
    ids=lambda value: ascii(value)[:40] if isinstance(value, dict) else "",
)
def test_senseless_values_are_value_errors(tickets, arguments, parts):
    refused(firth.InvalidArgumentError, lambda: tickets.read(**arguments), *parts)
    assert issubclass(firth.InvalidArgumentError, ValueError)


def test_incremental_needs_a_beginning(tickets):
    refused(TypeError, lambda: tickets.incremental(None), "begin is None")
    refused(TypeError, lambda: tickets.incremental(None, "20260101000000"), "begin is None")
    refused(ValueError, lambda: tickets.incremental(""), "begin is empty", "earliest")
    refused(ValueError, lambda: tickets.incremental("earliest", ""), "end is empty")


def test_incremental_takes_datetimes(tickets):
    points = [entry.completed for entry in tickets.timeline()]
    begin = datetime.datetime.strptime(points[2], "%Y%m%d%H%M%S%f")
    expected = set(tickets.incremental(points[2], columns=["id"]).to_arrow()["id"].to_pylist())
    for moment in (begin, pandas.Timestamp(begin), numpy.datetime64(begin)):
        found = tickets.incremental(moment, columns=["id"]).to_arrow()["id"].to_pylist()
        assert set(found) == expected


def test_integers_and_flags_of_numpy_are_taken(tickets):
    rows = tickets.read(limit=numpy.int64(3), meta=numpy.bool_(True)).to_arrow()
    assert rows.num_rows == 3 and rows.schema.names[0] == "_hoodie_commit_time"
    assert tickets.read(limit=None).to_arrow().num_rows == 26


def test_any_sequence_of_names_will_do(tickets):
    for columns in (("id", "status"), pandas.Index(["id", "status"]), iter(["id", "status"])):
        assert tickets.read(columns=columns).schema.names == ["id", "status"]


def test_columns_are_found_in_any_case_and_keep_their_own(tickets):
    assert tickets.read(columns=["ID", "Status"]).schema.names == ["id", "status"]
    found = tickets.search_text("declined", column="body", columns=["ID"]).to_arrow()
    assert found.schema.names == ["id", "_score"] and found.num_rows == 3


def test_paths_are_text(tmp_path):
    refused(TypeError, lambda: firth.open(b"/tmp/t"), "path is b'/tmp/t' (bytes)", "os.PathLike")
    refused(TypeError, lambda: firth.open(3), "path is 3 (int)")
    refused(firth.InvalidArgumentError, lambda: firth.open(SURROGATE), "path", "lone surrogate")
    refused(firth.NotFoundError, lambda: firth.open(pathlib.Path(tmp_path)), str(tmp_path))


def test_storage_options_are_text_and_never_shown():
    def opened(**options):
        return lambda: firth.open("s3://bucket/t", storage_options=options)

    refused(TypeError, opened(region=["hush"]), "storage_options['region'] is a list")
    refused(TypeError, lambda: firth.open("t", [("region", "x")]), "storage_options is a list")
    with pytest.raises(TypeError) as caught:
        firth.open("t", {"secret_access_key": b"hush"})
    assert "hush" not in str(caught.value)
    # Numbers and bools arrive as text: the core gets as far as to miss the secret.
    refused(
        firth.InvalidArgumentError,
        opened(anonymous=False, connect_timeout=2, request_timeout=0.5, access_key_id="x"),
        "secret_access_key",
    )


def test_searches_refuse_what_they_cannot_take(tickets):
    text, vector = tickets.search_text, tickets.search_vector
    refused(TypeError, lambda: text(3, column="body"), "query is 3 (int)")
    refused(TypeError, lambda: text("a"), "column=")
    refused(TypeError, lambda: text("a", column=["body"]), "column is ['body'] (list)")
    refused(ValueError, lambda: text("a", column="body", operator="xor"), "operator is 'xor'")
    refused(ValueError, lambda: text(SURROGATE, column="body"), "query", "lone surrogate")
    refused(ValueError, lambda: text("a", column="body", k=-1), "k is -1")
    search = text("declined", column="body")
    refused(TypeError, lambda: search.select("id"), "columns is the text 'id'")
    refused(TypeError, lambda: search.limit(None), "limit is None")
    refused(ValueError, lambda: search.limit(-1), "limit is -1")
    refused(TypeError, lambda: search.where(["a = 1"]), "where[0]")
    assert search.where(None).where([]).to_arrow().num_rows == 3

    refused(TypeError, lambda: vector("abc", column="emb"), "vectors is 'abc' (str)")
    refused(TypeError, lambda: vector(["a", "b"], column="emb"), "vectors[0] is 'a' (str)")
    refused(TypeError, lambda: vector([[1.0, None]], column="emb"), "vectors[0][1] is None")
    refused(ValueError, lambda: vector([[1.0], [1.0, 2.0]], column="emb"), "vectors[1] has 2")
    refused(ValueError, lambda: vector([], column="emb"), "vectors is empty")
    refused(ValueError, lambda: vector([1.0], column="emb", metric="l3"), "metric is 'l3'")
    refused(TypeError, lambda: vector([1.0], column="emb", radius="1"), "radius is '1'")


def test_operators_of_queries_may_be_words(tickets):
    query = firth.MatchQuery("payment declined", column="body", operator="and")
    assert query.to_dict()["match"]["operator"] == "and"
    found = tickets.search_text("payment declined", "body", operator=firth.FullTextOperator.AND)
    assert found.to_arrow().num_rows == tickets.search_text(query).to_arrow().num_rows == 3


def test_refresh_leaves_what_was_taken_before(tickets):
    info, name = tickets.info, tickets.info.name
    for _ in range(3):
        tickets.refresh()
    assert (info.name, info.version) == (name, 9)
    assert info.properties["hoodie.table.name"] == name
