# SPDX-License-Identifier: Apache-2.0
"""firth reads and searches Apache Hudi tables, natively.

    table = firth.open("path/or/s3-uri")
    table.read(columns=["id", "price"], where="price < 3").to_pandas()
    table.search_text("payment declined", column="body").limit(5).to_list()

Everything that holds rows speaks the Arrow C stream interface: pyarrow, pandas, polars and DuckDB
take it as it is.
"""

from firth import _arrow as _arrow  # loads Arrow's libraries, first
from firth import errors
from firth._firth import __version__
from firth.create import create
from firth.errors import *  # noqa: F403
from firth.index import (
    BloomLookup,
    FileStatistics,
    IndexInfo,
    KeyLocation,
    KeyLookup,
    LookupCost,
    StatisticsLookup,
    ValueLookup,
    ValueMatch,
)
from firth.query import FullTextOperator, MatchQuery, MultiMatchQuery, PhraseQuery, TextQuery
from firth.report import ScanReport, TextSearchReport, VectorSearchReport
from firth.result import ArrowRows, Result
from firth.search import TextSearch, VectorSearch
from firth.table import FileSlice, Snapshot, Table, TableInfo, TimelineEntry, open

__all__ = [
    "ArrowRows",
    "BloomLookup",
    "FileSlice",
    "FileStatistics",
    "FullTextOperator",
    "IndexInfo",
    "KeyLocation",
    "KeyLookup",
    "LookupCost",
    "MatchQuery",
    "MultiMatchQuery",
    "PhraseQuery",
    "Result",
    "ScanReport",
    "Snapshot",
    "StatisticsLookup",
    "Table",
    "TableInfo",
    "TextQuery",
    "TextSearch",
    "TextSearchReport",
    "TimelineEntry",
    "ValueLookup",
    "ValueMatch",
    "VectorSearch",
    "VectorSearchReport",
    "__version__",
    "create",
    "errors",
    "open",
    *errors.__all__,
]
