# SPDX-License-Identifier: Apache-2.0
"""Full-text queries as values: MatchQuery("late", "body") & ~PhraseQuery("by air", "body")."""

from __future__ import annotations

import dataclasses
import enum
import json
import typing

__all__ = ["FullTextOperator", "MatchQuery", "MultiMatchQuery", "PhraseQuery", "TextQuery"]


class FullTextOperator(enum.Enum):
    """Whether one term of a query suffices or all are needed."""

    OR = "or"
    AND = "and"


class TextQuery:
    """A full-text query. `a & b`, `a | b` and `~a` combine queries."""

    def to_dict(self) -> dict[str, typing.Any]:
        """The query tree, as docs/guide/search-text.md describes it."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The query tree as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __and__(self, other: TextQuery) -> TextQuery:
        return _Node({"and": [self.to_dict(), other.to_dict()]})

    def __or__(self, other: TextQuery) -> TextQuery:
        return _Node({"or": [self.to_dict(), other.to_dict()]})

    def __invert__(self) -> TextQuery:
        return _Node({"not": self.to_dict()})


@dataclasses.dataclass(frozen=True)
class _Node(TextQuery):
    tree: dict[str, typing.Any]

    def to_dict(self) -> dict[str, typing.Any]:
        return self.tree


@dataclasses.dataclass(frozen=True)
class MatchQuery(TextQuery):
    """Rows whose `column` has one (OR) or all (AND) terms of `query`."""

    query: str
    column: str
    operator: FullTextOperator = FullTextOperator.OR
    fuzziness: int | str = 0
    prefix_length: int = 0
    boost: float = 1.0

    def to_dict(self) -> dict[str, typing.Any]:
        fields = {
            "column": self.column,
            "query": self.query,
            "operator": FullTextOperator(self.operator).value,
        }
        return {"match": fields | _changed(self, "fuzziness", "prefix_length", "boost")}


@dataclasses.dataclass(frozen=True)
class PhraseQuery(TextQuery):
    """Rows whose `column` has the terms of `query` in a row, `slop` moves apart at most."""

    query: str
    column: str
    slop: int = 0
    boost: float = 1.0

    def to_dict(self) -> dict[str, typing.Any]:
        fields = {"column": self.column, "query": self.query}
        return {"phrase": fields | _changed(self, "slop", "boost")}


@dataclasses.dataclass(frozen=True)
class MultiMatchQuery(TextQuery):
    """A match over several columns; `columns` are names or (name, boost) pairs."""

    query: str
    columns: typing.Sequence[str | tuple[str, float]]
    operator: FullTextOperator = FullTextOperator.OR
    type: str = "best_fields"
    tie_breaker: float = 0.0
    boost: float = 1.0

    def to_dict(self) -> dict[str, typing.Any]:
        pairs = [(c, 1.0) if isinstance(c, str) else c for c in self.columns]
        fields = {
            "query": self.query,
            "columns": [{"name": name, "boost": boost} for name, boost in pairs],
            "operator": FullTextOperator(self.operator).value,
        }
        return {"multi_match": fields | _changed(self, "type", "tie_breaker", "boost")}


def _changed(query: typing.Any, *names: str) -> dict[str, typing.Any]:
    """Options that differ from their defaults: a short tree says the same as a full one."""
    defaults = {field.name: field.default for field in dataclasses.fields(query)}
    return {n: getattr(query, n) for n in names if getattr(query, n) != defaults[n]}
