# SPDX-License-Identifier: Apache-2.0
"""Predicates given as tuples, in the text form that the core parses."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import typing

from firth import _arguments
from firth.errors import InvalidArgumentError

__all__ = ["Predicate", "to_predicate"]

Predicate = str | typing.Sequence[tuple[str, str, typing.Any]] | None
"""A text, `"price < 3 AND lower(city) IN ('a', 'b')"`, or tuples of columns that must all hold."""

_OPERATORS = ("=", "==", "!=", "<>", "<", "<=", ">", ">=", "in", "not in")
_FORMS = """a text such as "price < 3", or tuples such as [("price", "<", 3)]"""


def to_predicate(predicate: Predicate) -> str:
    """Texts as they are; `[("a", "=", 1), ("b", "!=", None)]` as `"a" = 1 AND "b" IS NOT NULL`.

    Values are Python's, numpy's, pandas' and pyarrow's scalars. None, NaT and NA are null."""
    if predicate is None:
        return ""
    if isinstance(predicate, str):
        return _arguments.text("where", predicate)
    if not isinstance(predicate, typing.Iterable) or isinstance(predicate, (bytes, typing.Mapping)):
        raise TypeError(f"where is {_arguments.shown(predicate)}; must be {_FORMS}")
    conditions = [_condition(i, condition) for i, condition in enumerate(predicate)]
    return _arguments.text("where", " AND ".join(conditions))


def _condition(index: int, condition: typing.Any) -> str:
    where = f"where[{index}]"
    if isinstance(condition, str) or not isinstance(condition, typing.Sequence):
        raise TypeError(
            f"{where} is {_arguments.shown(condition)}; must be (column, operator, value), "
            "unless where is one text"
        )
    if len(condition) != 3:
        raise InvalidArgumentError(
            f"{where} has {len(condition)} items; must be (column, operator, value)"
        )
    column, operator, value = condition
    column = _arguments.text(f"{where}[0]", column, "the name of a column")
    name = '"' + column.replace('"', '""') + '"'
    operator = operator.lower() if isinstance(operator, str) else operator
    operator = _arguments.one_of(f"operator of {where}", operator, _OPERATORS)
    if operator in ("in", "not in"):
        return _membership(where, name, operator, value)
    if _is_null(value):
        if operator in ("=", "=="):
            return f"{name} IS NULL"
        if operator in ("!=", "<>"):
            return f"{name} IS NOT NULL"
        raise InvalidArgumentError(
            f"{where} compares by {operator} with null, which no row passes; must be = or !="
        )
    return f"{name} {'=' if operator == '==' else operator} {_literal(where, value)}"


def _membership(where: str, name: str, operator: str, values: typing.Any) -> str:
    scalar = isinstance(values, (str, bytes, typing.Mapping))
    if scalar or not isinstance(values, typing.Iterable):
        raise TypeError(f"{where} looks in {_arguments.shown(values)}; must be a list of values")
    items = list(values)
    if any(_is_null(item) for item in items):
        raise InvalidArgumentError(
            f"{where} looks in a list with a null, which equals nothing in SQL; "
            f"must be values only (say {name} IS NULL in a text)"
        )
    if not items:  # SQL has no empty list. These hold for no row and for every row.
        return (
            f"({name} IS NULL AND {name} IS NOT NULL)"
            if operator == "in"
            else f"({name} IS NULL OR {name} IS NOT NULL)"
        )
    return f"{name} {operator.upper()} ({', '.join(_literal(where, item) for item in items)})"


def _plain(value: typing.Any) -> typing.Any:
    """The Python value of a scalar of pyarrow or numpy. Times of numpy stay: they have units that
    Python's have not."""
    if hasattr(value, "as_py"):
        return value.as_py()
    if _arguments.is_numpy(value) and not _arguments.is_numpy(value, "datetime64", "timedelta64"):
        return value.item()
    return value


def _is_null(value: typing.Any) -> bool:
    value = _plain(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return _arguments.is_numpy(value, "datetime64") and str(value) == "NaT"


def _literal(where: str, value: typing.Any) -> str:
    value = _plain(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, numbers.Integral) and not _arguments.is_numpy(value, "timedelta64"):
        return str(int(value))
    if isinstance(value, float):
        if math.isfinite(value):
            return float.__repr__(value)
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, datetime.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    if _arguments.is_numpy(value, "datetime64"):
        text = _arguments.numpy_time(value)
        return f"TIMESTAMP '{text}'" if " " in text else f"DATE '{text}'"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"X'{bytes(value).hex()}'"
    if isinstance(value, str):
        return "'" + str.replace(value, "'", "''") + "'"
    raise TypeError(
        f"{where} compares with {_arguments.shown(value)}; "
        "must be a number, text, bytes, a bool, a date, a datetime or None"
    )
