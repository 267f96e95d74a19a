# SPDX-License-Identifier: Apache-2.0
"""Arguments as the core takes them. What does not fit is refused here, under its own name: with a
TypeError for a value of the wrong kind, with an InvalidArgumentError (a ValueError) for one that
makes no sense."""

from __future__ import annotations

import datetime
import decimal
import numbers
import operator
import os
import typing

from firth.errors import InvalidArgumentError

Instant = str | datetime.date | datetime.datetime
"""An instant (14 or 17 digits), a timestamp or a date, as text or as Python's types."""

_INT64 = range(-(1 << 63), 1 << 63)


def shown(value: object) -> str:
    """A value and its type, short enough for a message."""
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"


def is_numpy(value: object, *names: str) -> bool:
    """Whether it is a numpy scalar (of one of these types). numpy itself is never imported."""
    kind = type(value)
    return kind.__module__ == "numpy" and (not names or kind.__name__ in names)


def numpy_time(value: typing.Any) -> str:
    """A datetime64 as a date, or as a timestamp with seconds and what digits it has."""
    text = str(value)
    if "T" not in text:
        return str(value.astype("datetime64[D]"))
    if len(text) < len("2026-01-31T12:00:00"):
        text = str(value.astype("datetime64[s]"))
    return text.replace("T", " ")


def _wrong_type(name: str, value: object, allowed: str) -> TypeError:
    return TypeError(f"{name} is {shown(value)}; must be {allowed}")


def text(name: str, value: object, allowed: str = "text") -> str:
    """A str that has a UTF-8 form."""
    if not isinstance(value, str):
        raise _wrong_type(name, value, allowed)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(
            f"{name} has a lone surrogate at position {error.start}; must be well-formed Unicode"
        ) from None
    return value


def path(name: str, value: object) -> str:
    """A path or an address."""
    allowed = "text or an os.PathLike of text"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return text(name, value, allowed)


def flag(name: str, value: object) -> bool:
    """True or False, numpy's too."""
    if not isinstance(value, bool) and not is_numpy(value, "bool", "bool_"):
        raise _wrong_type(name, value, "True or False")
    return bool(value)


def integer(name: str, value: object, low: int = _INT64[0], high: int = _INT64[-1]) -> int:
    """A whole number of any integer type, within bounds."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(typing.cast(typing.SupportsIndex, value))
    except TypeError:
        raise _wrong_type(name, value, "a whole number") from None
    if not low <= number <= high:
        raise InvalidArgumentError(f"{name} is {number}; must be {low} to {high}")
    return number


def real(name: str, value: object) -> float:
    """A number as a float."""
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, decimal.Decimal)):
        raise _wrong_type(name, value, "a number")
    return float(value)


def row_limit(value: object) -> int:
    """`limit` of a read: None is all rows, which the core spells -1."""
    return -1 if value is None else integer("limit", value, low=0)


def columns(value: object) -> list[str]:
    """Names of columns; None is all of them, which the core spells []."""
    return [] if value is None else _texts("columns", value, "names", "the name of a column")


def names(name: str, value: object) -> list[str]:
    """Names of columns; one may stand by itself."""
    if isinstance(value, str):
        return [text(name, value)]
    return _texts(name, value, "names", "the name of a column")


def files(value: object) -> list[str] | None:
    """Paths of files; None is all of them."""
    return None if value is None else _texts("files", value, "paths", "the path of a file")


def _texts(name: str, value: object, items: str, item: str) -> list[str]:
    if isinstance(value, str):
        raise TypeError(f"{name} is the text {value!r}; must be a list of {items}: [{value!r}]")
    if not isinstance(value, typing.Iterable) or isinstance(value, (bytes, dict)):
        raise _wrong_type(name, value, f"a list of {items}")
    return [text(f"{name}[{i}]", each, item) for i, each in enumerate(value)]


def one_of(name: str, value: object, allowed: typing.Sequence[str]) -> str:
    """One of a few words."""
    if value not in allowed:
        message = f"{name} is {shown(value)}; must be one of {', '.join(allowed)}"
        raise InvalidArgumentError(message) if isinstance(value, str) else TypeError(message)
    return typing.cast(str, value)


def instant(name: str, value: object) -> str:
    """A moment, as the core parses it."""
    allowed = "text such as '20260131120000000' or '2026-01-31 12:00:00', a datetime or a date"
    if is_numpy(value, "datetime64"):
        return numpy_time(value)
    if isinstance(value, datetime.datetime) and value == value:  # NaT of pandas is one
        return value.isoformat(sep=" ", timespec="milliseconds")
    if isinstance(value, datetime.date) and value == value:
        return value.isoformat()
    return text(name, value, allowed)


def texts(name: str, value: object) -> dict[str, str]:
    """A mapping of texts to texts. True and numbers are written as text."""
    if value is None:
        return {}
    if not isinstance(value, typing.Mapping):
        raise _wrong_type(name, value, "a dict of texts")
    items = {}
    for key, item in value.items():
        key = text(f"a key of {name}", key)
        if isinstance(item, bool):
            item = "true" if item else "false"
        elif isinstance(item, int):
            item = str(item)
        items[key] = text(f"{name}[{key!r}]", item, "text, a whole number or a bool")
    return items


def storage_options(value: object) -> dict[str, str]:
    """Options as text. Their values may be secrets: messages never hold them."""
    if value is None:
        return {}
    if not isinstance(value, typing.Mapping):
        raise TypeError(f"storage_options is a {type(value).__name__}; must be a dict of texts")
    options = {}
    for key, option in value.items():
        name = f"storage_options[{text('a key of storage_options', key)!r}]"
        if isinstance(option, bool):
            option = "true" if option else "false"
        elif isinstance(option, (int, float)):
            option = str(option)
        elif not isinstance(option, str):
            raise TypeError(
                f"{name} is a {type(option).__name__}; must be text, a number or a bool"
            )
        options[key] = text(name, option)
    return options
