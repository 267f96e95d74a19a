# SPDX-License-Identifier: Apache-2.0
"""Searches that are put together step by step and run when their rows are wanted."""

from __future__ import annotations

import json
import typing

from firth import _firth
from firth.predicate import to_predicate
from firth.query import TextQuery
from firth.result import ArrowRows

__all__ = ["TextSearch", "VectorSearch"]


class _Search(ArrowRows):
    def __init__(self, snapshot: typing.Any, options: dict[str, typing.Any]) -> None:
        self._snapshot = snapshot
        self._options = options
        self._rows: typing.Any = None

    def _run(self) -> typing.Any:
        raise NotImplementedError

    def _source(self) -> typing.Any:
        if self._rows is None:
            self._rows = self._run()
        return self._rows

    def _with(self, **changes: typing.Any) -> typing.Self:
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__)
        changed._options = self._options | changes
        changed._rows = None
        return changed

    def where(self, predicate: typing.Any) -> typing.Self:
        """Filters before the best rows are chosen: a text (`"lang = 'en'"`) or tuples
        (`[("lang", "=", "en")]`). Several filters must all hold."""
        text = to_predicate(predicate)
        before = self._options["where"]
        return self._with(where=f"({before}) AND ({text})" if before else text)

    def select(self, columns: typing.Sequence[str]) -> typing.Self:
        """The columns to return; the score or distance comes with them."""
        return self._with(columns=list(columns))

    def limit(self, k: int) -> typing.Self:
        """How many rows to return, best first."""
        return self._with(k=k)


class TextSearch(_Search):
    """Rows that match a full-text query, best first, with `_score`."""

    def __init__(self, snapshot: typing.Any, query: typing.Any, options: dict[str, typing.Any]):
        super().__init__(snapshot, options)
        self._query = query

    def _run(self) -> typing.Any:
        return _firth.search_text(self._snapshot, self._query, **self._options)

    def report(self) -> dict[str, int]:
        """How many rows match (`matches`), how often the text was scanned (`passes`), and whether a
        fuzzy term reached more terms than its max_expansions (`expansions_capped`)."""
        return self._source().report()


class VectorSearch(_Search):
    """Rows nearest to one or several vectors, nearest first, with `_distance` and, for several
    vectors, `_query`: the number of the vector."""

    def __init__(self, snapshot: typing.Any, vectors: typing.Any, options: dict[str, typing.Any]):
        super().__init__(snapshot, options)
        self._vectors, self._dim = flatten(vectors)

    def _run(self) -> typing.Any:
        return _firth.search_vector(self._snapshot, self._vectors, self._dim, **self._options)

    def report(self) -> dict[str, int]:
        """How many rows were compared, and how many could not be: `null_vectors`, vectors of
        `wrong_length`, and `not_finite` ones are never among the results."""
        return self._source().report()


def query_json(query: typing.Any, column: str | None, operator: str) -> str:
    """The query tree of a text, a TextQuery, or a tree given as a dictionary."""
    if isinstance(query, TextQuery):
        return query.to_json()
    if isinstance(query, dict):
        return json.dumps(query, ensure_ascii=False)
    if column is None:
        raise TypeError("search_text of a plain text needs column=")
    return json.dumps(
        {"match": {"column": column, "query": query, "operator": operator}}, ensure_ascii=False
    )


def flatten(vectors: typing.Any) -> tuple[list[float], int]:
    """One vector or a list of equally long ones, in any array type, row by row, and the length."""
    for convert in ("to_pylist", "tolist"):
        if hasattr(vectors, convert):
            vectors = getattr(vectors, convert)()
    rows = list(vectors)
    if not rows:
        raise ValueError("search_vector needs a vector; got an empty one")
    if not isinstance(rows[0], typing.Iterable):
        return rows, len(rows)
    rows = [row.tolist() if hasattr(row, "tolist") else list(row) for row in rows]
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the vectors of one search must have the same length")
    return [value for row in rows for value in row], len(rows[0])
