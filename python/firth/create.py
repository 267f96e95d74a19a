# SPDX-License-Identifier: Apache-2.0
"""Making tables."""

from __future__ import annotations

import os
import typing

import pyarrow

from firth import _arguments, _firth
from firth.table import Table

__all__ = ["create"]


def create(
    path: str | os.PathLike[str],
    schema: object,
    *,
    key: str | typing.Sequence[str] = (),
    partition_by: str | typing.Sequence[str] = (),
    ordering: str | typing.Sequence[str] = (),
    type: str = "cow",
    name: str = "",
    properties: typing.Mapping[str, str | bool | int] | None = None,
    version: int = 9,
    storage_options: typing.Mapping[str, str | bool | float] | None = None,
) -> Table:
    """Makes an empty Hudi table of a folder and opens it.

    schema        the columns, without Hudi's own: "id bigint, price decimal(10,2), emb vector(384)"
                  in Spark's type names, or anything with an Arrow schema: a pyarrow.Schema, a
                  pyarrow, pandas or polars table, a firth.Result. tinyint and smallint are stored
                  as int, nanoseconds as microseconds
    key           record key columns; none: writers generate keys
    partition_by  partition columns, outermost first; none: not partitioned
    ordering      of two rows with one key the larger in these columns wins; none: the later one
    type          "cow" (copy-on-write) or "mor" (merge-on-read)
    name          hoodie.table.name; default the last segment of the path
    properties    further table properties: {"hoodie.table.cdc.enabled": True}
    version       table version, 8 or 9

    Raises AlreadyExistsError where there is a table already, InvalidArgumentError for a definition
    that makes no sense and UnsupportedError for object stores: nothing changes then. After an
    IoError there is no table, but empty folders may be.
    """
    return Table(
        _firth.create(
            _arguments.path("path", path),
            _schema(schema),
            _arguments.names("key", key),
            _arguments.names("partition_by", partition_by),
            _arguments.names("ordering", ordering),
            _arguments.one_of("type", type, ("cow", "mor")) == "mor",
            _arguments.text("name", name),
            _arguments.texts("properties", properties),
            _arguments.integer("version", version, 0, 99),
            _arguments.storage_options(storage_options),
        )
    )


def _schema(schema: typing.Any) -> object:
    """Text as it is, anything else as a capsule."""
    if isinstance(schema, str):
        return _arguments.text("schema", schema)
    if not hasattr(schema, "__arrow_c_schema__"):
        if not hasattr(schema, "__arrow_c_stream__"):
            raise TypeError(
                f"schema is {_arguments.shown(schema)}; must be text such as 'id bigint, name "
                "string', or have an Arrow schema"
            )
        schema = pyarrow.RecordBatchReader.from_stream(schema).schema
    return schema.__arrow_c_schema__()
