# SPDX-License-Identifier: Apache-2.0
"""The comparison itself: what counts as the same row."""

import rows as canon


def test_canonical_rows_ignore_order_of_rows_and_fields_but_keep_duplicates():
    one = [{"a": 1, "b": "x"}, {"a": 2, "b": None}, {"a": 1, "b": "x"}]
    other = [{"b": None, "a": 2}, {"b": "x", "a": 1}, {"b": "x", "a": 1}]
    assert canon.canonical_rows(one) == canon.canonical_rows(other)
    assert canon.digest(one) != canon.digest(one[:2])


def test_row_with_zones_marks_timestamps_at_any_depth_and_nothing_else():
    fields = [
        {"name": "at", "type": "timestamp"},
        {"name": "local", "type": "timestamp_ntz"},
        {"name": "many", "type": {"type": "array", "elementType": "timestamp"}},
        {
            "name": "inner",
            "type": {"type": "struct", "fields": [{"name": "at", "type": "timestamp"}]},
        },
    ]
    at = "2026-01-01T00:00:00.000000"
    row = {"at": at, "local": at, "many": [at, None], "inner": {"at": at}}
    assert canon.row_with_zones(row, fields) == {
        "at": at + "Z",
        "local": at,
        "many": [at + "Z", None],
        "inner": {"at": at + "Z"},
    }
