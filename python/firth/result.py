# SPDX-License-Identifier: Apache-2.0
"""Rows on their way to Arrow, pandas, polars, DuckDB: whatever takes an Arrow stream."""

from __future__ import annotations

import typing

import pyarrow

from firth import _firth
from firth.report import ScanReport

if typing.TYPE_CHECKING:
    import pandas
    import polars

__all__ = ["ArrowRows", "Result"]

Taken = typing.TypeVar("Taken")


class ArrowRows:
    """Rows that any Arrow consumer takes, by `__arrow_c_stream__`, without copying batches.

    Every consumption reads anew, from the snapshot that was pinned when the object was made.
    """

    def _source(self) -> typing.Any:
        raise NotImplementedError

    def __arrow_c_schema__(self) -> object:
        return self._source().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._source().__arrow_c_stream__(requested_schema)

    @property
    def schema(self) -> pyarrow.Schema:
        """Names and types of the columns."""
        return pyarrow.schema(self._source())

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """Batches one at a time: for results that do not fit into memory."""
        return pyarrow.RecordBatchReader.from_stream(self)

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a pyarrow table."""
        return self._consume(lambda reader: reader.read_all())

    def _consume(self, take: typing.Callable[[pyarrow.RecordBatchReader], Taken]) -> Taken:
        source = self._source()
        try:
            return take(pyarrow.RecordBatchReader.from_stream(source))
        except (pyarrow.ArrowException, OSError, KeyError, NotImplementedError):
            # The C stream carries a text only; the source still knows the error itself.
            if hasattr(source, "raise_error"):
                source.raise_error()
            raise

    def to_pandas(self, **options: typing.Any) -> pandas.DataFrame:
        """All rows as a pandas data frame; `options` are those of pyarrow.Table.to_pandas."""
        return self.to_arrow().to_pandas(**options)

    def to_polars(self) -> polars.DataFrame:
        """All rows as a polars data frame."""
        import polars

        return polars.DataFrame(self.to_arrow())

    def to_list(self) -> list[dict[str, typing.Any]]:
        """All rows as dictionaries."""
        rows: list[dict[str, typing.Any]] = self.to_arrow().to_pylist()
        return rows


class Result(ArrowRows):
    """A planned read of one snapshot. `report()` says what planning left out and what it cost."""

    def __init__(self, plan: _firth.Plan) -> None:
        self._plan = plan

    def _source(self) -> _firth.Plan:
        return self._plan

    def report(self) -> ScanReport:
        """Counters of planning and of all reads so far: partitions, files and row groups that were
        skipped, rows and bytes that were read. What the command prints with --explain."""
        return self._plan.report()

    def explain(self) -> dict[str, object]:
        """Reads all rows, keeps none of them, and returns `report()` with their number, "rows"."""
        rows = self._consume(lambda reader: sum(batch.num_rows for batch in reader))
        return {"rows": rows, **self.report()}

    def __repr__(self) -> str:
        return f"<firth.Result of {', '.join(self.schema.names)}>"
