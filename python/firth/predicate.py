# SPDX-License-Identifier: Apache-2.0
"""Predicates given as tuples, in the text form that the core parses."""

from __future__ import annotations

import datetime
import decimal
import math
import typing

__all__ = ["to_predicate"]

_OPERATORS = {"=", "==", "!=", "<>", "<", "<=", ">", ">=", "in", "not in"}


def to_predicate(predicate: typing.Any) -> str:
    """Texts as they are; `[("a", "=", 1), ("b", "!=", None)]` as `"a" = 1 AND "b" IS NOT NULL`."""
    if predicate is None:
        return ""
    if isinstance(predicate, str):
        return predicate
    return " AND ".join(_condition(*condition) for condition in predicate)


def _condition(column: str, operator: str, value: typing.Any) -> str:
    name = '"' + column.replace('"', '""') + '"'
    if operator.lower() not in _OPERATORS:
        raise ValueError(f"operator {operator!r}: must be one of {', '.join(sorted(_OPERATORS))}")
    if value is None:
        if operator in ("=", "=="):
            return f"{name} IS NULL"
        if operator in ("!=", "<>"):
            return f"{name} IS NOT NULL"
    if operator.lower() in ("in", "not in"):
        return f"{name} {operator.upper()} ({', '.join(_literal(item) for item in value)})"
    return f"{name} {'=' if operator == '==' else operator} {_literal(value)}"


def _literal(value: typing.Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, (int, float, decimal.Decimal)):
        return format(value, "f") if isinstance(value, decimal.Decimal) else repr(value)
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    raise TypeError(f"a predicate cannot hold a {type(value).__name__}: {value!r}")
