# SPDX-License-Identifier: Apache-2.0
"""Rows as comparable text: what the golden suite and its recorders share."""

import hashlib
import json

META_COLUMNS = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)


def without(row, columns):
    return {name: value for name, value in row.items() if name not in columns}


def plain(value):
    """`value` with whole floats as integers: 3 and 3.0 are one JSON number. -0.0 stays apart."""
    if isinstance(value, float) and value.is_integer() and str(value) != "-0.0":
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def canonical(row):
    """One line per row, the same for equal rows whatever the order of their fields."""
    return json.dumps(plain(row), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def canonical_rows(rows):
    """All rows in an order that depends on their contents only; duplicates are kept."""
    return sorted(canonical(row) for row in rows)


def digest(rows):
    """SHA-256 over the sorted canonical lines."""
    return hashlib.sha256("\n".join(canonical_rows(rows)).encode()).hexdigest()


def with_zone(value, spark_type):
    """A value that Spark wrote, with the `Z` that firth puts behind every zoned timestamp."""
    if value is None:
        return None
    if spark_type == "timestamp":
        return value + "Z"
    if isinstance(spark_type, dict):
        kind = spark_type["type"]
        if kind == "array":
            return [with_zone(item, spark_type["elementType"]) for item in value]
        if kind == "map":
            return {key: with_zone(item, spark_type["valueType"]) for key, item in value.items()}
        if kind == "struct":
            return {f["name"]: with_zone(value[f["name"]], f["type"]) for f in spark_type["fields"]}
    return value


def row_with_zones(row, fields):
    """`row` with zoned timestamps as firth prints them; `fields` is a Spark schema in JSON."""
    types = {field["name"]: field["type"] for field in fields}
    return {name: with_zone(value, types.get(name)) for name, value in row.items()}
