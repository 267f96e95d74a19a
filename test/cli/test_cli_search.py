# SPDX-License-Identifier: Apache-2.0
"""firth search: results are rows like those of read, best first."""

import importlib
import json
import math
import os

import numpy as np
import pyarrow as pa
import pytest


@pytest.fixture(scope="module")
def tickets(golden):
    return golden("tickets")


def cosine_distance(a, b):
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return 1 - dot / math.hypot(*a) / math.hypot(*b)


def nearest(table, query):
    """[(distance, id)] of all rows, by brute force."""
    rows = table.rows(table.expected["snapshot"])
    return sorted((cosine_distance(query, r["emb"]), r["id"]) for r in rows if r["emb"])


QUERY = [1.0, 0.0, 0.5, 0.0, 0.0, -0.25, 0.0, 0.125]


def test_vector_search_returns_the_nearest_first(firth, tickets):
    found = firth(
        "search",
        "vector",
        tickets.path,
        "--column",
        "emb",
        "--vector",
        json.dumps(QUERY),
        "-k",
        5,
        "--columns",
        "id",
    ).rows
    assert [r["_distance"] for r in found] == pytest.approx(
        [distance for distance, _ in nearest(tickets, QUERY)[:5]], abs=1e-9
    )
    assert all(list(row) == ["id", "_distance"] for row in found)


def test_queries_from_numpy_number_their_results(firth, tickets, tmp_path):
    np.save(tmp_path / "q.npy", np.array([QUERY, QUERY[::-1]], dtype=np.float32))
    arguments = [
        "search",
        "vector",
        tickets.path,
        "--column",
        "emb",
        "--queries",
        tmp_path / "q.npy",
        "-k",
        3,
    ]
    found = firth(*arguments).rows
    assert [r["_query"] for r in found] == [0, 0, 0, 1, 1, 1]
    table = pa.ipc.open_stream(firth(*arguments, "--format", "arrow").out).read_all()
    assert table.column("id").to_pylist() == [r["id"] for r in found]


def test_a_radius_takes_all_rows_within(firth, tickets):
    distances = [distance for distance, _ in nearest(tickets, QUERY)]
    radius = (distances[6] + distances[7]) / 2
    found = firth(
        "search",
        "vector",
        tickets.path,
        "--column",
        "emb",
        "--vector",
        json.dumps(QUERY),
        "--radius",
        radius,
        "-k",
        1,
    ).rows
    assert len(found) == sum(distance <= radius for distance in distances)


def test_text_search_finds_the_rows_that_hold_the_words(firth, tickets):
    found = firth("search", "text", tickets.path, "declined", "--column", "body", "-k", 100).rows
    recorded = tickets.rows(tickets.expected["snapshot"])
    assert {r["id"] for r in found} == {
        r["id"] for r in recorded if r["body"] and "declined" in r["body"].lower()
    }
    scores = [r["_score"] for r in found]
    assert scores == sorted(scores, reverse=True) and scores[0] > 0


def test_text_options_build_the_query_tree(firth, tickets):
    def ids(*arguments):
        result = firth("search", "text", tickets.path, *arguments, "-k", 100, "--columns", "id")
        assert result.code == 0, result.err
        return {row["id"] for row in result.rows}

    any_word = ids("card declined", "--column", "body")
    both = ids("card declined", "--column", "body", "--operator", "and")
    phrase = ids("was declined", "--column", "body", "--phrase")
    tree = ids('{"match":{"column":"body","query":"card declined","operator":"and"}}')
    assert both < any_word and tree == both and phrase <= any_word
    assert ids("declined", "--column", "subject,body") >= ids("declined", "--column", "body")


def test_explain_tells_what_was_read(firth, tickets):
    text = ["search", "text", tickets.path, "declined", "--column", "body", "--explain"]
    report = firth(*text, "--json").json
    assert report["rows"] == report["matches"] == 3
    assert report["slices"] > 0 and report["bytes_read"] > 0
    assert report["body.records"] == sum(
        r["body"] is not None for r in tickets.rows(tickets.expected["snapshot"])
    )
    assert "rows that match" in firth(*text).text
    vector = ["search", "vector", tickets.path, "--column", "emb", "--vector", json.dumps(QUERY)]
    report = firth(*vector, "-k", 4, "--explain", "--json").json
    assert report["rows"] == 4 and report["vectors"] == 26
    assert report["base_rows"] + report["log_records"] >= 26


def test_python_explains_searches_as_the_command_does(firth, tickets):
    table = importlib.import_module("firth").open(tickets.path)
    where = "country = 'de'"
    options = ["--where", where, "-k", 2, "--threads", 1, "--explain", "--json"]
    text = firth("search", "text", tickets.path, "declined", "--column", "body", *options).json
    search = table.search_text("declined", "BODY", where=where, k=2, threads=1)
    assert search.explain() == text
    vector = ["search", "vector", tickets.path, "--column", "emb", "--vector", json.dumps(QUERY)]
    search = table.search_vector(QUERY, "emb", where=where, k=2, threads=1)
    assert search.explain() == firth(*vector, *options).json


def test_columns_to_search_are_found_in_any_case(firth, tickets):
    text = ["search", "text", tickets.path, "declined", "--columns", "ID"]
    expected = firth(*text, "--column", "body,subject").rows
    assert expected and firth(*text, "--column", "Body, SUBJECT").rows == expected
    vector = ["search", "vector", tickets.path, "--vector", json.dumps(QUERY), "-k", 2]
    expected = firth(*vector, "--column", "emb").rows
    assert expected and firth(*vector, "--column", "EMB").rows == expected
    result = firth(*text, "--column", "bodi")
    assert result.code == 2 and 'no column "bodi"; did you mean "body"?' in result.err


def test_a_query_that_is_not_utf8_is_refused(firth, tickets):
    result = firth("search", "text", tickets.path, os.fsdecode(b"hudi\xff"), "--column", "body")
    assert result.code == 2 and result.out == b""
    assert "FTS_INVALID_UTF8_QUERY" in result.err


def test_where_filters_before_the_best_are_taken(firth, tickets):
    found = firth(
        "search",
        "vector",
        tickets.path,
        "--column",
        "emb",
        "--vector",
        json.dumps(QUERY),
        "--where",
        "status = 'open'",
        "-k",
        100,
    ).rows
    recorded = tickets.rows(tickets.expected["snapshot"])
    assert {r["id"] for r in found} == {
        r["id"] for r in recorded if r["status"] == "open" and r["emb"]
    }


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["text", "x", "--column", "nmae"], "nmae"),
        (["text", "x", "--column", "priority"], "priority"),
        (["vector", "--column", "emb", "--vector", "[1, 2]"], "8"),
        (["vector", "--column", "body", "--vector", "[1, 2]"], "body"),
        (["vector", "--column", "emb", "--queries", "absent.npy"], "absent.npy"),
        (
            ["vector", "--column", "emb", "--vector", json.dumps(QUERY), "--radius", "-1"],
            "the radius is -1; cosine distances are 0 or more",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_are_one_line(firth, tickets, arguments, part):
    result = firth("search", arguments[0], tickets.path, *arguments[1:])
    assert result.code in (2, 3) and result.out == b""
    assert part in result.err and result.err.count("\n") == 1


def test_a_query_tree_names_its_columns_itself(firth, tickets):
    tree = json.dumps({"match": {"column": "body", "query": "payment"}})
    assert firth("search", "text", tickets.path, tree).rows
    refused = firth("search", "text", tickets.path, tree, "--column", "subject")
    assert refused.code == 2
    assert "names its columns itself; leave --column out" in refused.err
