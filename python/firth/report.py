# SPDX-License-Identifier: Apache-2.0
"""What reads and searches tell about themselves: the types of `report()`."""

from __future__ import annotations

import typing

__all__ = ["ScanReport", "TextColumnReport", "TextSearchReport", "VectorSearchReport"]


class ScanReport(typing.TypedDict):
    """What planning left out, and what reading cost so far. What the command prints with --explain.

    partitions        listed; partitions_pruned of them were left out
    slices            file slices in the others; slices_pruned were ruled out by indexes
                      of the metadata table
    row_groups        in the base files that were opened; row_groups_pruned were left out
    pages             of the columns read, where their page index was looked at; pages_pruned of
                      them were left out
    base_rows         read from base files
    log_records       read from log files
    spilled_bytes     written to the spill folder
    corrupt_blocks    blocks of writers that died, left out
    list_calls        folders listed
    read_calls        ranges read, bytes_read in them
    notes             sentences: what was used, and what was not
    """

    partitions: int
    partitions_pruned: int
    slices: int
    slices_pruned: int
    row_groups: int
    row_groups_pruned: int
    pages: int
    pages_pruned: int
    base_rows: int
    log_records: int
    spilled_bytes: int
    corrupt_blocks: int
    list_calls: int
    read_calls: int
    bytes_read: int
    notes: list[str]


class TextColumnReport(typing.TypedDict):
    """A searched column over the rows that the statistics count: `records` have a value, with
    `tokens` words in all."""

    records: int
    tokens: int


class TextSearchReport(typing.TypedDict):
    """What a text search saw.

    matches            rows that match and pass the filter
    passes             over the text: 2 when the matches outgrew the memory budget
    expansions_capped  whether a fuzzy term reached more terms than its max_expansions
    columns            the searched columns, by the names that the table has
    scan               what reading took, all passes together
    """

    matches: int
    passes: int
    expansions_capped: bool
    columns: dict[str, TextColumnReport]
    scan: ScanReport


class VectorSearchReport(typing.TypedDict):
    """What a vector search saw.

    rows          that passed the filter; those that could not be compared are never in the result:
    null_vectors  rows without a vector
    wrong_length  rows whose vector has another length than the queries
    not_finite    rows with a NaN, infinite or null element
    scan          what reading took, all passes together
    """

    rows: int
    null_vectors: int
    wrong_length: int
    not_finite: int
    scan: ScanReport
