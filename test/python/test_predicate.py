# SPDX-License-Identifier: Apache-2.0
"""Predicates given as tuples mean what their text form means."""

import datetime
import decimal

import pytest
from firth.predicate import to_predicate


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (None, ""),
        ("a < 3 OR b = 1", "a < 3 OR b = 1"),
        ([("a", "<", 3)], '"a" < 3'),
        ([("a", "==", "it's")], "\"a\" = 'it''s'"),
        ([("a", "=", 1), ("b", "!=", True)], '"a" = 1 AND "b" != TRUE'),
        ([("a", "in", ["x", "y"])], "\"a\" IN ('x', 'y')"),
        ([("a", "not in", [1])], '"a" NOT IN (1)'),
        ([("a", "=", None)], '"a" IS NULL'),
        ([("a", "!=", None)], '"a" IS NOT NULL'),
        ([("a", "=", float("nan"))], '"a" = NaN'),
        ([("a", ">", float("-inf"))], '"a" > -Infinity'),
        ([("a", "=", decimal.Decimal("1E+2"))], '"a" = 100'),
        ([("a", "=", datetime.date(2026, 1, 2))], "\"a\" = DATE '2026-01-02'"),
        ([("a", "=", b"\x00\xff")], "\"a\" = X'00ff'"),
        ([('we"ird', "=", 1)], '"we""ird" = 1'),
    ],
)
def test_tuples_become_text(given, text):
    assert to_predicate(given) == text


def test_unknown_operators_and_values_are_refused():
    with pytest.raises(ValueError, match="like"):
        to_predicate([("a", "like", "x%")])
    with pytest.raises(TypeError, match="dict"):
        to_predicate([("a", "=", {})])
