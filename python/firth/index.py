# SPDX-License-Identifier: Apache-2.0
"""What the indexes of a table say: where keys live, who has a value, what files hold."""

from __future__ import annotations

import enum
import typing

from firth import _arguments, _firth

__all__ = [
    "BloomLookup",
    "FileStatistics",
    "IndexInfo",
    "KeyLocation",
    "KeyLookup",
    "LookupCost",
    "StatisticsLookup",
    "ValueLookup",
    "ValueMatch",
]

BloomLookup = _firth.BloomLookup
FileStatistics = _firth.FileStatistics
IndexInfo = _firth.IndexInfo
KeyLocation = _firth.KeyLocation
KeyLookup = _firth.KeyLookup
LookupCost = _firth.LookupCost
StatisticsLookup = _firth.StatisticsLookup
ValueLookup = _firth.ValueLookup
ValueMatch = _firth.ValueMatch

Value = str | int | None
"""A value of an indexed column: text as it is, whole numbers and truth values as Java writes them,
None for NULL. Values of other types are given as the text that Java makes of them."""


class Missing(enum.Enum):
    """Stands for an argument that was not given, where None is a value of it."""

    VALUE = enum.auto()


def keys(value: object) -> list[str]:
    """Record keys: one, or a list of them."""
    if isinstance(value, str):
        return [_arguments.text("keys", value)]
    if not isinstance(value, typing.Iterable) or isinstance(value, (bytes, dict)):
        raise TypeError(
            f"keys is {_arguments.shown(value)}; must be a record key or a list of them"
        )
    return [_arguments.text(f"keys[{i}]", key, "a record key") for i, key in enumerate(value)]


def values(value: object) -> list[str | None]:
    """Values of a column: one, or a list of them."""
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_value_text(f"value[{i}]", item) for i, item in enumerate(value)]
    return [_value_text("value", value)]


def _value_text(name: str, value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return _arguments.text(name, value, "text, a whole number, a bool, None or a list of these")
