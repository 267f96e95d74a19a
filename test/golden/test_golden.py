# SPDX-License-Identifier: Apache-2.0
"""What firth reads from tables written by Hudi on Spark, row by row and column by column."""

import json
import re

import pytest
import rows as canon
import tables

ARCHIVES = tables.archives()
ALL = [
    query
    for name, archive in ARCHIVES.items()
    if name not in tables.REFUSED_FORMAT
    for query in tables.queries(archive)
]


def by_id(found):
    return [pytest.param(query, id=query.id) for query in found]


def explain(expected, found):
    """The first differing rows, side by side."""
    missing = sorted(set(expected) - set(found))[:2]
    extra = sorted(set(found) - set(expected))[:2]
    return "\n".join(
        [f"{len(found)} rows, expected {len(expected)}"]
        + [f"missing: {row}" for row in missing]
        + [f"extra:   {row}" for row in extra]
    )


def same(queries):
    return by_id(query for query in queries if query.differs is None)


def differing(reason):
    return by_id(query for query in ALL if query.differs == reason)


@pytest.mark.parametrize("query", same(ALL))
def test_rows_are_those_that_hudi_returns(query, answers):
    answer = answers[query].result()
    assert answer.code == tables.DONE, answer.stderr
    if answer.rows != query.rows:
        pytest.fail(explain(query.rows, answer.rows), pytrace=False)


@pytest.mark.parametrize("query", differing(tables.CLEANED))
def test_cleaned_instants_are_not_found_or_read_as_of_that_instant(query, answers):
    """Hudi refuses by the cleaner's retention; firth refuses when a file it needs is gone."""
    answer = answers[query].result()
    if answer.code != tables.DONE:
        assert answer.code == tables.NOT_FOUND, answer.stderr
        assert "clean" in answer.stderr
        return
    instant = query.name.removeprefix("as_of_")
    assert answer.rows
    for row in map(json.loads, answer.rows):
        assert row["_hoodie_commit_time"] <= instant


@pytest.mark.parametrize("query", differing(tables.HALF_READ))
def test_snapshots_whose_files_were_cleaned_are_never_half_read(query, answers):
    answer = answers[query].result()
    assert answer.code == tables.NOT_FOUND
    assert "clean" in answer.stderr


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name.endswith("_cow_archived")])
def test_archived_snapshots_are_whole_or_not_found(name, tmp_path):
    """Hudi's own answers for instants that left the active timeline are not recorded."""
    path = tables.Tables(tmp_path).path(ARCHIVES[name])
    refused = 0
    for instant in tables.written_instants(ARCHIVES[name]):
        answer = tables.read(path, ("--as-of", instant))
        if answer.code == tables.NOT_FOUND:
            assert "clean" in answer.stderr
            refused += 1
            continue
        assert answer.code == tables.DONE, answer.stderr
        written = tables.written_until(ARCHIVES[name], instant, by_completion=False)
        assert answer.rows == tables.lines(row for _, row in written)
    assert refused > 8 or name == "v6_cow_archived"  # where nothing was cleaned


@pytest.mark.parametrize("query", differing(tables.NO_META_FIELDS))
def test_incremental_reads_without_meta_fields_are_refused(query, answers):
    answer = answers[query].result()
    assert answer.code == tables.FAILED
    assert re.search(r"populate\.meta\.fields|meta fields", answer.stderr)


@pytest.mark.parametrize("query", differing(tables.ARCHIVED))
def test_incremental_reads_include_archived_commits(query, answers):
    answer = answers[query].result()
    assert answer.code == tables.DONE, answer.stderr
    end = query.name.rsplit("_", 1)[1]
    written = tables.written_until(ARCHIVES[query.table], end)
    expected = tables.lines({"_hoodie_commit_time": time, **row} for time, row in written)
    keep = canon.META_COLUMNS[1:]
    assert tables.lines(canon.without(json.loads(r), keep) for r in answer.rows) == expected


@pytest.mark.parametrize("query", differing(tables.GARBAGE))
def test_incremental_reads_of_partial_updates_have_whole_rows(query, answers):
    """The rows that time travel to the end of the range shows."""
    commit = "20261129214139683"
    at_end = next(q for q in ALL if q.table == query.table and q.name == f"as_of_{commit}")
    expected = tuple(r for r in at_end.rows if f'"_hoodie_commit_time":"{commit}"' in r)
    assert len(expected) == 2
    assert answers[query].result().rows == expected


def multiple_ordering_fields_rows():
    """v9_mor_ordering_multi by hand, id: name. Higher (ts, seq) wins, ties go to the later write,
    a null is lower than any value, and a delete without ordering values always wins."""
    rows = {key: "a" for key in range(20)}
    rows.update({0: "seq+", 2: "ts+", 4: "tie", 20: "over-null", 21: "over-ten-null"})
    return {key: name for key, name in rows.items() if key not in (7, 8, 9, 10)}


def test_nulls_in_two_ordering_fields_that_hudi_cannot_compare(answers_of_ordering_multi):
    answer = answers_of_ordering_multi
    assert answer.code == tables.DONE, answer.stderr
    found = {row["id"]: row["name"] for row in map(json.loads, answer.rows)}
    assert found == multiple_ordering_fields_rows()


@pytest.fixture
def answers_of_ordering_multi(tmp_path):
    if not (tables.SHARED / "oracle" / "golden").is_dir():
        pytest.skip(f"{tables.SHARED}/oracle/golden is not there: 1 table not checked")
    return tables.read(tables.Tables(tmp_path).path(ARCHIVES["v9_mor_ordering_multi"]), ())


@pytest.mark.parametrize("name", sorted(tables.REFUSED_FORMAT))
def test_other_base_file_formats_are_refused_by_name(name, tmp_path):
    answer = tables.read(tables.Tables(tmp_path).path(ARCHIVES[name]), ())
    assert answer.code == tables.FAILED
    assert tables.REFUSED_FORMAT[name] in answer.stderr.lower()


def test_every_recorded_error_of_hudi_has_a_test_that_says_what_firth_does():
    assert not [query.id for query in ALL if query.error and query.differs is None]


def test_all_golden_tables_of_the_oracle_were_checked():
    folder = tables.SHARED / "oracle" / "golden"
    found = {path.stem for path in folder.glob("*.zip")}
    if not found:
        committed = len(list(tables.COMMITTED.glob("*.zip")))
        pytest.skip(f"{folder} is not there: only the {committed} committed tables were checked")
    assert found <= {query.table for query in ALL} | tables.REFUSED_FORMAT.keys()
