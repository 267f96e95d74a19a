# SPDX-License-Identifier: Apache-2.0
"""Tables and snapshots of them."""

from __future__ import annotations

import os
import typing

import pyarrow

from firth import _arguments, _firth, index
from firth._arguments import Instant
from firth.errors import InvalidArgumentError, NotFoundError
from firth.predicate import Predicate, to_predicate
from firth.query import FullTextOperator, TextQuery
from firth.result import Result
from firth.search import TextSearch, VectorSearch, query_json

__all__ = ["FileSlice", "Snapshot", "Table", "TableInfo", "TimelineEntry", "open"]

TimelineEntry = _firth.TimelineEntry
FileSlice = _firth.FileSlice
TableInfo = _firth.TableInfo

GIB = 1 << 30
MAX_THREADS = 1024
PLAN_RETRIES = 2


def open(
    path: str | os.PathLike[str],
    storage_options: typing.Mapping[str, str | bool | float] | None = None,
) -> Table:
    """Opens the Hudi table at a local path or an object-store URI.

    `storage_options` holds credentials and endpoints: access_key_id, secret_access_key,
    session_token, region, endpoint_override, scheme, force_virtual_addressing, anonymous,
    connect_timeout, request_timeout. Environment variables (AWS_*) fill what is missing.

    Raises NotFoundError when there is no table, UnsupportedError for versions other than 6, 8 and
    9 and for features that firth refuses by name, CorruptError and IoError.
    """
    return Table(
        _firth.open(_arguments.path("path", path), _arguments.storage_options(storage_options))
    )


class _Readable:
    """Reads and searches, shared by tables (latest or `as_of`) and pinned snapshots."""

    def _pin(self, as_of: Instant | None) -> _firth.Snapshot:
        raise NotImplementedError

    def read(
        self,
        columns: typing.Sequence[str] | None = None,
        where: Predicate = None,
        *,
        as_of: Instant | None = None,
        read_optimized: bool = False,
        limit: int | None = None,
        meta: bool = False,
        threads: int = 0,
        batch_rows: int = _firth.DEFAULT_BATCH_ROWS,
        memory_budget: int = GIB,
        spill_dir: str | os.PathLike[str] = "",
        use_metadata: bool = True,
        unique_keys: bool = False,
    ) -> Result:
        """Rows of a snapshot.

        columns         a list of names, in the order wanted; default all data columns. A name in
                        another case is found when only one column fits
        where           "price < 3 AND city IN ('a', 'b')", or tuples [("price", "<", 3)] with
                        Python's, numpy's, pandas' or pyarrow's scalars. Texts may take functions
                        of columns, "year(day) = 2026 AND lower(city) LIKE 'a%'": abs, date_format,
                        day, from_unixtime, hour, length, lower, month, substring, trim, upper, year
        as_of           travel in time: an instant, timestamp or date
        read_optimized  base files only: faster on merge-on-read tables, without latest changes
        limit           stop after this many rows; None means all
        meta            also the five _hoodie_* columns, first
        threads         that read file slices, as far as memory_budget allows; 0: one per core
        batch_rows      rows per Arrow batch at most; batches of wide rows have fewer
        memory_budget   bytes of log records and queued batches in memory; more spills to disk
        spill_dir       where to spill; default the system's temporary folder
        use_metadata    ask the metadata table, where it may be believed, instead of listing
        unique_keys     promise that no record key is or was in the table twice (all writers upsert
                        by a global index, one at a time; no delete is late by its ordering value):
                        predicates on keys take the record index, also where log files keep it from
                        being shown by counting. Rows are missing where the promise isn't true

        Nothing is read yet: planning happens here and finds unknown columns, the rows come when the
        result is consumed.

        An argument of the wrong type is a TypeError, a senseless value an InvalidArgumentError.
        """
        return self._pin_and_plan(
            as_of,
            begin=None,
            end=None,
            columns=columns,
            where=where,
            read_optimized=read_optimized,
            limit=limit,
            meta=meta,
            threads=threads,
            batch_rows=batch_rows,
            memory_budget=memory_budget,
            spill_dir=spill_dir,
            use_metadata=use_metadata,
            unique_keys=unique_keys,
        )

    def incremental(
        self,
        begin: Instant,
        end: Instant | None = None,
        *,
        columns: typing.Sequence[str] | None = None,
        where: Predicate = None,
        limit: int | None = None,
        meta: bool = False,
        threads: int = 0,
        batch_rows: int = _firth.DEFAULT_BATCH_ROWS,
        memory_budget: int = GIB,
        spill_dir: str | os.PathLike[str] = "",
        use_metadata: bool = True,
    ) -> Result:
        """Rows changed in (begin, end], each in its latest version.

        Times are completion times of commits, or instant times for version 6 tables. "earliest"
        starts at the beginning; without `end` everything up to the snapshot is returned.
        """
        begin = _arguments.instant("begin", begin)
        end = None if end is None else _arguments.instant("end", end)
        return self._pin_and_plan(
            None,
            begin=begin,
            end=end,
            read_optimized=False,
            columns=columns,
            where=where,
            limit=limit,
            meta=meta,
            threads=threads,
            batch_rows=batch_rows,
            memory_budget=memory_budget,
            spill_dir=spill_dir,
            use_metadata=use_metadata,
        )

    def explain(
        self,
        columns: typing.Sequence[str] | None = None,
        where: Predicate = None,
        *,
        begin: Instant | None = None,
        end: Instant | None = None,
        as_of: Instant | None = None,
        read_optimized: bool = False,
        limit: int | None = None,
        meta: bool = False,
        threads: int = 0,
        batch_rows: int = _firth.DEFAULT_BATCH_ROWS,
        memory_budget: int = GIB,
        spill_dir: str | os.PathLike[str] = "",
        use_metadata: bool = True,
        unique_keys: bool = False,
    ) -> dict[str, object]:
        """What a read takes, as `firth read --explain` tells it: reads the rows, returns none.

        The arguments are those of `read`, or with `begin` those of `incremental`. The answer has
        the number of "rows", counters of what each stage of planning and reading touched and left
        out ("partitions", "partitions_pruned", "slices", ..., "bytes_read"), and under "notes"
        sentences: whether files came from the metadata table and which statistics and indexes
        ruled something out, or why they were not used. `read(...).explain()` is the same for a
        read that is planned already.
        """
        options: dict[str, typing.Any] = {
            "columns": columns,
            "where": where,
            "limit": limit,
            "meta": meta,
            "threads": threads,
            "batch_rows": batch_rows,
            "memory_budget": memory_budget,
            "spill_dir": spill_dir,
            "use_metadata": use_metadata,
        }
        if begin is None:
            if end is not None:
                raise InvalidArgumentError("end needs begin")
            return self.read(
                as_of=as_of, read_optimized=read_optimized, unique_keys=unique_keys, **options
            ).explain()
        if as_of is not None or read_optimized or unique_keys:
            raise InvalidArgumentError("begin goes without as_of, read_optimized, unique_keys")
        return self.incremental(begin, end, **options).explain()

    def _pin_and_plan(self, as_of: Instant | None, **request: typing.Any) -> Result:
        return self._plan(self._pin(as_of), **request)

    @staticmethod
    def _plan(
        snapshot: _firth.Snapshot,
        *,
        columns: typing.Sequence[str] | None,
        where: Predicate,
        read_optimized: bool,
        begin: str | None,
        end: str | None,
        limit: int | None,
        meta: bool,
        threads: int,
        batch_rows: int,
        memory_budget: int,
        spill_dir: str | os.PathLike[str],
        use_metadata: bool,
        unique_keys: bool = False,
    ) -> Result:
        return Result(
            snapshot.plan(
                columns=_arguments.columns(columns),
                where=to_predicate(where),
                read_optimized=_arguments.flag("read_optimized", read_optimized),
                begin=begin,
                end=end,
                limit=_arguments.row_limit(limit),
                meta=_arguments.flag("meta", meta),
                threads=_arguments.integer("threads", threads, 0, MAX_THREADS),
                batch_rows=_arguments.integer("batch_rows", batch_rows),
                memory_budget=_arguments.integer("memory_budget", memory_budget),
                spill_dir=_arguments.path("spill_dir", spill_dir),
                use_metadata=_arguments.flag("use_metadata", use_metadata),
                unique_keys=_arguments.flag("unique_keys", unique_keys),
            )
        )

    def search_text(
        self,
        query: str | TextQuery | dict[str, typing.Any],
        column: str | None = None,
        *,
        operator: str | FullTextOperator = "or",
        k: int = 10,
        where: Predicate = None,
        columns: typing.Sequence[str] | None = None,
        as_of: Instant | None = None,
        meta: bool = False,
        threads: int = 0,
        memory_budget: int = GIB,
    ) -> TextSearch:
        """Ranked full-text search of one snapshot, by exact BM25. Complete: every matching row of
        the snapshot is considered.

        `query` is a text to match in `column` (any term, or all with operator="and"), a query such
        as MatchQuery("payment declined", column="body"), or a query tree, as a dictionary or as
        JSON; the latter two name their columns themselves. The result is built on:
        `.where(...)`, `.select([...])`, `.limit(k)`, then `.to_arrow()` and so on.
        """
        return TextSearch(
            self._pin(as_of),
            query_json(query, column, operator),
            self._search_options(k, where, columns, meta, threads, memory_budget),
        )

    def search_vector(
        self,
        vectors: typing.Any,
        column: str,
        *,
        metric: str = "cosine",
        k: int = 10,
        radius: float | None = None,
        where: Predicate = None,
        columns: typing.Sequence[str] | None = None,
        as_of: Instant | None = None,
        meta: bool = False,
        threads: int = 0,
        memory_budget: int = GIB,
    ) -> VectorSearch:
        """Exact nearest neighbours of one vector, or of several, in one snapshot.

        `vectors` is a sequence of numbers or of such sequences, in any array type. `metric` is
        "cosine" (1 - cos), "l2" (Euclidean) or "dot" (negative inner product); smaller is nearer.
        With `radius` all rows at that distance or nearer are returned instead of the nearest `k`.
        """
        options = self._search_options(k, where, columns, meta, threads, memory_budget)
        options |= {
            "column": _arguments.text("column", column, "the name of a column"),
            "metric": _arguments.one_of("metric", metric, ("cosine", "l2", "dot", "dot_product")),
            "radius": None if radius is None else _arguments.real("radius", radius),
        }
        return VectorSearch(self._pin(as_of), vectors, options)

    def indexes(self, *, as_of: Instant | None = None) -> list[index.IndexInfo]:
        """All indexes that the table's writers keep, those too that cannot answer: `state` is
        "ready", "building" or "distrusted", and `reason` says why."""
        return _firth.list_indexes(self._pin(as_of))

    @typing.overload
    def lookup(
        self,
        keys: str | typing.Iterable[str],
        *,
        partition: str | None = None,
        as_of: Instant | None = None,
    ) -> index.KeyLookup: ...

    @typing.overload
    def lookup(
        self,
        *,
        column: str,
        value: index.Value | typing.Sequence[index.Value],
        as_of: Instant | None = None,
    ) -> index.ValueLookup: ...

    def lookup(
        self,
        keys: str | typing.Iterable[str] | None = None,
        *,
        partition: str | None = None,
        column: str | None = None,
        value: index.Value | typing.Sequence[index.Value] | index.Missing = index.Missing.VALUE,
        as_of: Instant | None = None,
    ) -> index.KeyLookup | index.ValueLookup:
        """Asks an index; data files are not read.

        lookup(keys)                  where rows live, by the record index. A key is the text in
                                      _hoodie_record_key: "17", or "id:17,region:eu". Keys that no
                                      row has are not in the answer. `partition` limits the answer
                                      to one data partition; a partitioned index needs it
        lookup(column=c, value=v)     keys of the rows that have a value, or one of a list, by the
                                      secondary index of the column; None asks for NULL

        The answer carries its `cost`. Raises NotFoundError when the table has no such index, and
        UnsupportedError when what it says cannot be relied on at this snapshot.
        """
        if (keys is None) == (column is None):
            raise InvalidArgumentError("lookup needs either keys, or column and value")
        if column is None and value is not index.Missing.VALUE:
            raise InvalidArgumentError("value goes with column, not with keys")
        if column is not None:
            if value is index.Missing.VALUE:
                raise InvalidArgumentError("column needs value; None asks for NULL")
            if partition is not None:
                raise InvalidArgumentError("partition goes with keys, not with column and value")
            return _firth.lookup_values(
                self._pin(as_of),
                _arguments.text("column", column, "the name of a column"),
                index.values(value),
            )
        return _firth.lookup_keys(
            self._pin(as_of),
            index.keys(keys),
            None if partition is None else _arguments.text("partition", partition),
        )

    def column_statistics(
        self,
        columns: typing.Sequence[str] | None = None,
        *,
        files: typing.Sequence[str] | None = None,
        as_of: Instant | None = None,
    ) -> index.StatisticsLookup:
        """Bounds and counts of columns in each file, as the table's column statistics have them.

        columns   default all data columns
        files     a list of paths relative to the table, as in files(); default all of the snapshot

        Dates, times and decimals are text, values of binary columns bytes. Bounds of timestamps
        are None in tables of versions 6 and 8, which do not store their unit. Bounds of strings and
        floats may be narrower than the file's values, because writers leave out what is long or
        NaN.
        """
        return _firth.lookup_statistics(
            self._pin(as_of),
            _arguments.columns(columns),
            _arguments.files(files),
        )

    def bloom_filter(
        self,
        file: str,
        keys: str | typing.Iterable[str],
        *,
        as_of: Instant | None = None,
    ) -> index.BloomLookup:
        """Whether a base file may have record keys, by its filter in the table's index of bloom
        filters: `possible` has one bool a key, of which False is certain.

        `file` is a path relative to the table, as `base_file` in files().
        """
        return _firth.lookup_bloom_filter(
            self._pin(as_of), _arguments.text("file", file), index.keys(keys)
        )

    @staticmethod
    def _search_options(
        k: int,
        where: Predicate,
        columns: typing.Sequence[str] | None,
        meta: bool,
        threads: int,
        memory_budget: int,
    ) -> dict[str, typing.Any]:
        return {
            "k": _arguments.integer("k", k, low=0),
            "where": to_predicate(where),
            "columns": _arguments.columns(columns),
            "meta": _arguments.flag("meta", meta),
            "threads": _arguments.integer("threads", threads, 0, MAX_THREADS),
            "memory_budget": _arguments.integer("memory_budget", memory_budget),
        }


class Snapshot(_Readable):
    """A table at one instant: reads and searches of it agree, whatever is committed meanwhile."""

    def __init__(self, core: _firth.Snapshot) -> None:
        self._core = core

    def _pin(self, as_of: Instant | None) -> _firth.Snapshot:
        if as_of is not None:
            raise TypeError("a snapshot is pinned already: as_of belongs to Table.snapshot()")
        return self._core

    @property
    def instant(self) -> str:
        """Requested time of the last write that it sees; empty for an empty table."""
        return self._core.instant

    @property
    def schema(self) -> pyarrow.Schema:
        """The data columns as Arrow types."""
        return pyarrow.schema(self._core.schema(False))

    def files(self) -> list[FileSlice]:
        """The file slices that a read of it opens, by partition and file id."""
        return self._core.files()

    def __repr__(self) -> str:
        return f"<firth.Snapshot {self.instant or 'empty'}>"


class Table(_Readable):
    """An open table. Sees the timeline as it was when opened or last refreshed; safe to use from
    several threads, refresh() too."""

    def __init__(self, core: _firth.Table) -> None:
        self._core = core

    def _pin(self, as_of: Instant | None) -> _firth.Snapshot:
        return self._core.pin(None if as_of is None else _arguments.instant("as_of", as_of))

    @property
    def info(self) -> TableInfo:
        """Name, location, type, key, partition and ordering fields, properties; as of the last
        refresh, and not changed by the next one."""
        return self._core.info

    @property
    def version(self) -> int:
        """The table version: 6, 8 or 9."""
        return self._core.info.version

    @property
    def schema(self) -> pyarrow.Schema:
        """The data columns of the latest snapshot as Arrow types."""
        return self.snapshot().schema

    def snapshot(self, as_of: Instant | None = None) -> Snapshot:
        """The latest completed snapshot, or the one at an instant, timestamp or date."""
        return Snapshot(self._pin(as_of))

    def timeline(self, archived: bool = False) -> list[TimelineEntry]:
        """Actions by requested time; archived ones too when asked for."""
        return self._core.timeline(_arguments.flag("archived", archived))

    def files(self, as_of: Instant | None = None) -> list[FileSlice]:
        """The file slices of a snapshot."""
        return self.snapshot(as_of).files()

    def refresh(self) -> None:
        """Sees what was committed since. Snapshots and results made before are not affected."""
        self._core.refresh()

    def _pin_and_plan(self, as_of: Instant | None, **request: typing.Any) -> Result:
        """The latest snapshot is pinned again where a cleaner was faster than the listing."""
        for _ in range(PLAN_RETRIES if as_of is None else 0):
            try:
                return super()._pin_and_plan(None, **request)
            except NotFoundError:
                self.refresh()
        return super()._pin_and_plan(as_of, **request)

    def __repr__(self) -> str:
        info = self.info
        return f"<firth.Table {info.name} version {info.version} at {info.location}>"
