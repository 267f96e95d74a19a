# SPDX-License-Identifier: Apache-2.0
"""Searches that are put together step by step and run when their rows are wanted."""

from __future__ import annotations

import json
import typing

from firth import _arguments, _firth
from firth.errors import InvalidArgumentError
from firth.predicate import Predicate, to_predicate
from firth.query import FullTextOperator, TextQuery
from firth.report import TextSearchReport, VectorSearchReport
from firth.result import ArrowRows

__all__ = ["TextSearch", "VectorSearch"]


class _Search(ArrowRows):
    def __init__(self, snapshot: _firth.Snapshot, options: dict[str, typing.Any]) -> None:
        self._snapshot = snapshot
        self._options = options
        self._rows: _firth.Rows | None = None

    def _run(self) -> _firth.Rows:
        raise NotImplementedError

    def _source(self) -> _firth.Rows:
        if self._rows is None:
            self._rows = self._run()
        return self._rows

    def _with(self, **changes: typing.Any) -> typing.Self:
        changed = object.__new__(type(self))
        changed.__dict__.update(self.__dict__)
        changed._options = self._options | changes
        changed._rows = None
        return changed

    def _count(self) -> int:
        return sum(batch.num_rows for batch in self.to_reader())

    def __repr__(self) -> str:
        where = f" where {self._options['where']}" if self._options["where"] else ""
        return f"<firth.{type(self).__name__} limit {self._options['k']}{where}>"

    def where(self, predicate: Predicate) -> typing.Self:
        """Filters before the best rows are chosen: a text (`"lang = 'en'"`) or tuples
        (`[("lang", "=", "en")]`). Several filters must all hold."""
        text = to_predicate(predicate)
        before = self._options["where"]
        both = f"({before}) AND ({text})" if before and text else before or text
        return self._with(where=both)

    def select(self, columns: typing.Sequence[str]) -> typing.Self:
        """The columns to return; the score or distance comes with them."""
        return self._with(columns=_arguments.columns(columns))

    def limit(self, k: int) -> typing.Self:
        """How many rows to return, best first."""
        return self._with(k=_arguments.integer("limit", k, low=0))


class TextSearch(_Search):
    """Rows that match a full-text query, best first, with `_score`."""

    def __init__(self, snapshot: _firth.Snapshot, query: str, options: dict[str, typing.Any]):
        super().__init__(snapshot, options)
        self._query = query

    def _run(self) -> _firth.Rows:
        return _firth.search_text(self._snapshot, self._query, **self._options)

    def report(self) -> TextSearchReport:
        """How many rows match (`matches`), the words in the searched `columns`, how often the text
        was scanned (`passes`), whether a fuzzy term reached more terms than its max_expansions
        (`expansions_capped`), and what was read and skipped (`scan`). Runs the search if nothing
        did yet."""
        report: TextSearchReport = self._source().report()
        return report

    def explain(self) -> dict[str, object]:
        """What the search took, as `firth search text --explain --json` tells it: `report()` on one
        level, with the number of returned "rows"."""
        report = self.report()
        told: dict[str, object] = {"rows": self._count()}
        told |= {name: report[name] for name in ("matches", "passes")}
        for name, column in report["columns"].items():
            told |= {f"{name}.{what}": count for what, count in column.items()}
        return {**told, **report["scan"]}


class VectorSearch(_Search):
    """Rows nearest to one or several vectors, nearest first, with `_distance` and, for several
    vectors, `_query`: the number of the vector."""

    def __init__(
        self, snapshot: _firth.Snapshot, vectors: typing.Any, options: dict[str, typing.Any]
    ):
        super().__init__(snapshot, options)
        self._vectors, self._dim = flatten(vectors)

    def _run(self) -> _firth.Rows:
        return _firth.search_vector(self._snapshot, self._vectors, self._dim, **self._options)

    def report(self) -> VectorSearchReport:
        """How many rows were searched, how many could not be compared (`null_vectors`, vectors of
        `wrong_length`, and `not_finite` ones are never among the results), and what was read and
        skipped (`scan`). Runs the search if nothing did yet."""
        report: VectorSearchReport = self._source().report()
        return report

    def explain(self) -> dict[str, object]:
        """What the search took, as `firth search vector --explain --json` tells it: `report()` on
        one level, with the number of returned "rows" and the "vectors" that were searched."""
        report = self.report()
        told: dict[str, object] = {"rows": self._count(), "vectors": report["rows"]}
        told |= {name: report[name] for name in ("null_vectors", "wrong_length", "not_finite")}
        return {**told, **report["scan"]}


def query_json(query: typing.Any, column: str | None, operator: str | FullTextOperator) -> str:
    """The query tree of a text, a TextQuery, or a tree given as a dictionary or as JSON."""
    if not isinstance(query, TextQuery | dict):
        query = _arguments.text("query", query, "text, a query such as MatchQuery, or a dict")
    if not isinstance(query, str) or _is_tree(query):
        if column is not None:
            raise TypeError("column= goes with a plain text; a query names its columns itself")
        if isinstance(query, TextQuery):
            query = query.to_json()
    else:
        if column is None:
            raise TypeError("search_text of a plain text needs column=, the column to search")
        column = _arguments.text("column", column, "the name of a column")
        if isinstance(operator, FullTextOperator):
            operator = operator.value
        operator = _arguments.one_of("operator", operator, ("or", "and"))
        query = {"match": {"column": column, "query": query, "operator": operator}}
    if isinstance(query, dict):
        query = json.dumps(query, ensure_ascii=False)
    return _arguments.text("query", query)


def _is_tree(text: str) -> bool:
    try:
        return text.startswith("{") and isinstance(json.loads(text), dict)
    except ValueError:
        return False


def flatten(vectors: typing.Any) -> tuple[list[float], int]:
    """One vector or a list of equally long ones, in any array type, row by row, and the length."""
    rows = _items("vectors", vectors)
    if not rows:
        raise InvalidArgumentError("vectors is empty; must be one vector or several")
    if not isinstance(rows[0], typing.Iterable) or isinstance(rows[0], (str, bytes)):
        return _numbers("vectors", rows), len(rows)
    rows = [_items(f"vectors[{i}]", row) for i, row in enumerate(rows)]
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InvalidArgumentError(
                f"vectors[{i}] has {len(row)} elements; must be {len(rows[0])}, as vectors[0] has"
            )
    values = [_numbers(f"vectors[{i}]", row) for i, row in enumerate(rows)]
    return [value for row in values for value in row], len(rows[0])


def _items(name: str, vector: typing.Any) -> list[typing.Any]:
    for convert in ("to_pylist", "tolist"):
        if hasattr(vector, convert):
            vector = getattr(vector, convert)()
    if isinstance(vector, (str, bytes, dict)) or not isinstance(vector, typing.Iterable):
        raise TypeError(f"{name} is {_arguments.shown(vector)}; must be a sequence of numbers")
    return list(vector)


def _numbers(name: str, row: list[typing.Any]) -> list[float]:
    return [
        value if type(value) is float else _arguments.real(f"{name}[{i}]", value)
        for i, value in enumerate(row)
    ]
