# SPDX-License-Identifier: Apache-2.0
"""Text and vector search from Python: what is found, in which order, under which filters."""

import json
import math
import re

import numpy
import pyarrow
import pytest

import firth
from firth import FullTextOperator, MatchQuery, MultiMatchQuery, PhraseQuery


def ids(found):
    return found.to_arrow()["id"].to_pylist()


def test_text_search_finds_words_in_any_case_best_first(tickets):
    found = tickets.search_text("DECLINED payment", column="body").to_arrow()
    assert set(found["id"].to_pylist()[:3]) == {"T-1001", "T-1010", "T-1022"}
    scores = found["_score"].to_pylist()
    assert scores == sorted(scores, reverse=True)


def test_text_search_reports_what_it_saw(tickets):
    report = tickets.search_text("declined", column="BODY", k=1).report()
    assert (report["matches"], report["passes"]) == (3, 1)
    assert report["expansions_capped"] is False
    rows = tickets.read().to_list()
    words = sum(len(re.findall(r"\w+", row["body"])) for row in rows)
    assert report["columns"] == {"body": {"records": 26, "tokens": words}}


def test_vector_search_reports_what_it_saw(tickets):
    report = tickets.search_vector([1.0] * 8, column="emb", k=1).report()
    assert list(report) == ["rows", "null_vectors", "wrong_length", "not_finite", "scan"]
    assert [report[name] for name in list(report)[:4]] == [26, 0, 0, 0]


def test_searches_report_what_they_read_with_the_keys_of_reads(tickets):
    read = tickets.read(where="country = 'de'")
    read.to_arrow()
    options = {"k": 1, "where": "country = 'de'"}
    text = tickets.search_text("declined", column="body", **options)
    vector = tickets.search_vector([1.0] * 8, column="emb", **options)
    for search in (text, vector):
        scan = search.report()["scan"]
        assert scan.keys() == read.report().keys()
        for name in ("partitions", "partitions_pruned", "slices", "slices_pruned", "notes"):
            assert scan[name] == read.report()[name], name
        assert scan["partitions"] == 3 and scan["partitions_pruned"] == 2
        # The slices that hold a row of the result are read once more.
        assert scan["base_rows"] >= read.report()["base_rows"] > 0
        assert scan["log_records"] > 0 and scan["bytes_read"] > 0 and scan["read_calls"] > 0


def test_columns_to_search_are_found_in_any_case(tickets):
    assert ids(tickets.search_text("subscription", column=" Body")) == ["T-1025"]
    query = PhraseQuery("payment page", column="BODY")
    assert ids(tickets.search_text(query)) == ["T-1027"]
    vector = [0, 0, 1, 0, 0, 0, 0, 0]
    expected = ids(tickets.search_vector(vector, column="emb"))
    assert ids(tickets.search_vector(vector, column="EMB")) == expected
    with pytest.raises(firth.InvalidArgumentError, match='did you mean "emb"'):
        tickets.search_vector(vector, column="enb").to_arrow()


def test_text_search_sees_updates_deletes_and_travels_in_time(tickets):
    assert ids(tickets.search_text("subscription", column="body")) == ["T-1025"]
    first = tickets.timeline()[0].requested
    assert ids(tickets.search_text("subscription", column="body", as_of=first)) == []
    assert "T-1009" not in ids(tickets.search_text("privacy", column="body"))
    assert "T-1009" in ids(tickets.search_text("privacy", column="body", as_of=first))


def test_text_search_is_built_step_by_step(tickets):
    query = MatchQuery("payment declined", column="body", operator=FullTextOperator.AND)
    search = tickets.search_text(query)
    assert set(ids(search)) == {"T-1001", "T-1010", "T-1022"}
    waiting = search.where([("status", "=", "waiting")]).select(["id", "status"]).limit(20)
    assert waiting.to_arrow().schema.names == ["id", "status", "_score"]
    assert ids(waiting) == ["T-1022"]
    assert ids(waiting.where("country = 'de'")) == []
    assert len(ids(search.limit(1))) == 1


def test_text_queries_combine(tickets):
    payment = MatchQuery("payment", column="body")
    phrase = PhraseQuery("payment page", column="body")
    assert ids(tickets.search_text(phrase)) == ["T-1027"]
    without = ids(tickets.search_text(payment & ~phrase))
    assert "T-1027" not in without and "T-1001" in without
    either = tickets.search_text(phrase | MatchQuery("webhook", column="body"))
    assert set(ids(either)) == {"T-1027", "T-1018"}
    both = MultiMatchQuery("webhook", columns=["subject", ("body", 2.0)])
    assert ids(tickets.search_text(both)) == ["T-1018"]


def test_query_trees_are_short_and_complete():
    query = MatchQuery("late parcel", "body", fuzziness=1) & ~PhraseQuery("by air", "body", slop=2)
    assert query.to_dict() == {
        "and": [
            {"match": {"column": "body", "query": "late parcel", "operator": "or", "fuzziness": 1}},
            {"not": {"phrase": {"column": "body", "query": "by air", "slop": 2}}},
        ]
    }


def nearest(rows, query, metric):
    """Brute force over all rows: the ids by distance."""

    def distance(row):
        vector = numpy.asarray(row["emb"], dtype=numpy.float64)
        if metric == "l2":
            return float(numpy.linalg.norm(vector - query))
        dot = float(vector @ query)
        if metric == "dot":
            return -dot
        return 1 - dot / float(numpy.linalg.norm(vector) * numpy.linalg.norm(query))

    ranked = sorted((distance(row), row["id"]) for row in rows)
    return [name for _, name in ranked], [d for d, _ in ranked]


@pytest.mark.parametrize("metric", ["cosine", "l2", "dot"])
def test_vector_search_equals_brute_force(tickets, metric):
    query = numpy.array([8, 5, 0, 0, 0, 0, 0, 0], dtype=numpy.float32)
    expected_ids, expected = nearest(tickets.read().to_list(), query, metric)
    found = tickets.search_vector(query, column="emb", metric=metric, k=7).to_arrow()
    assert found["id"].to_pylist() == expected_ids[:7]
    assert found["_distance"].to_pylist() == pytest.approx(expected[:7], abs=1e-6)


def test_vector_search_filters_before_it_ranks(tickets):
    found = tickets.search_vector([0, 0, 0, 9, 0, 0, 0, 0], column="emb", k=3)
    french = found.where("country = 'fr'").select(["id"])
    rows = tickets.read(where="country = 'fr'").to_list()
    expected, _ = nearest(rows, numpy.array([0, 0, 0, 9.0, 0, 0, 0, 0]), "cosine")
    assert ids(french) == expected[:3]
    assert french.schema.names == ["id", "_distance"]


def test_several_vectors_are_numbered(tickets):
    queries = numpy.eye(8, dtype=numpy.float32)[:2]
    found = tickets.search_vector(queries, column="emb", k=2).to_arrow()
    assert found["_query"].to_pylist() == [0, 0, 1, 1]
    one = tickets.search_vector(queries[1].tolist(), column="emb", k=2)
    assert found["id"].to_pylist()[2:] == ids(one)


def test_radius_returns_every_row_in_reach(tickets):
    query = pyarrow.array([0, 0, 1, 0, 0, 0, 0, 0], pyarrow.float32())
    found = tickets.search_vector(query, column="emb", metric="l2", radius=0.7).to_arrow()
    rows = tickets.read().to_list()
    names, distances = nearest(rows, numpy.array(query), "l2")
    assert found["id"].to_pylist() == [n for n, d in zip(names, distances) if d <= 0.7]


def test_wrong_vectors_are_refused(tickets):
    with pytest.raises(firth.InvalidArgumentError, match="8"):
        tickets.search_vector([1.0, 2.0], column="emb").to_arrow()
    with pytest.raises(firth.InvalidArgumentError):
        tickets.search_vector([math.nan] * 8, column="emb").to_arrow()
    with pytest.raises(firth.InvalidArgumentError, match="metric"):
        tickets.search_vector([1.0] * 8, column="emb", metric="hamming").to_arrow()
    with pytest.raises(ValueError, match="must be 1"):
        tickets.search_vector([[1.0], [1.0, 2.0]], column="emb")


def test_a_query_tree_is_a_dictionary_or_json_and_names_its_columns_itself(tickets):
    tree = {"match": {"column": "body", "query": "payment"}}
    expected = tickets.search_text("payment", "body").to_list()
    assert expected
    assert tickets.search_text(tree).to_list() == expected
    assert tickets.search_text(json.dumps(tree)).to_list() == expected
    for query in (tree, json.dumps(tree), MatchQuery("payment", column="body")):
        with pytest.raises(TypeError, match="names its columns itself"):
            tickets.search_text(query, "subject")
    assert tickets.search_text("{payment", "body").to_list() == expected
