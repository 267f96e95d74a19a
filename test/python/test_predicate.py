# SPDX-License-Identifier: Apache-2.0
"""Predicates given as tuples mean what their text form means."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from firth.predicate import to_predicate

EXACT_FLOATS = '"a" = 0.5 AND "b" = 0.10000000149011612'


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
        ([["a", "IN", (1, 2)]], '"a" IN (1, 2)'),
        ([("a", "in", [])], '("a" IS NULL AND "a" IS NOT NULL)'),
        ([("a", "not in", [])], '("a" IS NULL OR "a" IS NOT NULL)'),
        ([("a", "=", np.int64(2)), ("b", "=", np.bool_(True))], '"a" = 2 AND "b" = TRUE'),
        ([("a", "=", np.float64(0.5)), ("b", "=", np.float32(0.1))], EXACT_FLOATS),
        ([("a", "=", np.str_("x")), ("b", "=", np.bytes_(b"x"))], "\"a\" = 'x' AND \"b\" = X'78'"),
        ([("a", "in", np.array([1, 2], np.uint8))], '"a" IN (1, 2)'),
        ([("a", "in", pd.Series([1.5]))], '"a" IN (1.5)'),
        ([("a", "in", pa.array(["x"]))], "\"a\" IN ('x')"),
        ([("a", "=", pa.scalar(decimal.Decimal("1.50")))], '"a" = 1.50'),
        ([("a", "=", pd.NA), ("b", "!=", pd.NaT)], '"a" IS NULL AND "b" IS NOT NULL'),
        ([("a", "=", np.datetime64("NaT"))], '"a" IS NULL'),
        ([("a", "=", np.datetime64("2026-01"))], "\"a\" = DATE '2026-01-01'"),
        ([("a", "=", np.datetime64("2026-01-02T03"))], "\"a\" = TIMESTAMP '2026-01-02 03:00:00'"),
        (
            [("a", "=", np.datetime64("2026-01-02T03:04:05.000000001"))],
            "\"a\" = TIMESTAMP '2026-01-02 03:04:05.000000001'",
        ),
        (
            [("a", "=", pd.Timestamp("2026-01-02 03:04:05+01:00"))],
            "\"a\" = TIMESTAMP '2026-01-02 03:04:05+01:00'",
        ),
    ],
)
def test_tuples_become_text(given, text):
    assert to_predicate(given) == text


def test_unknown_operators_and_values_are_refused():
    with pytest.raises(ValueError, match="like"):
        to_predicate([("a", "like", "x%")])
    with pytest.raises(TypeError, match="dict"):
        to_predicate([("a", "=", {})])
