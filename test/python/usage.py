# SPDX-License-Identifier: Apache-2.0
"""A user's program, for mypy alone: `make lint` checks it against the package's annotations."""

import datetime
import pathlib
import typing

import firth
from firth import FullTextOperator, MatchQuery

table = firth.open(pathlib.Path("t"), storage_options={"region": "x", "anonymous": True})
info: firth.TableInfo = table.info
keys: list[str] = info.record_key_fields
base_files: list[str | None] = [slice.base_file for slice in table.files()]
actions: list[str] = [entry.action for entry in table.timeline(archived=True)]

rows: firth.Result = table.read(columns=("id", "ts"), where=[("id", "=", 1)], limit=None)
listed: list[dict[str, typing.Any]] = rows.to_list()
notes: list[str] = rows.report()["notes"]
snapshot: firth.Snapshot = table.snapshot(as_of=datetime.date(2026, 1, 31))
changed: firth.Result = snapshot.incremental(datetime.datetime(2026, 1, 1), "20260201000000000")

query = MatchQuery("declined", "body", operator=FullTextOperator.AND) & ~MatchQuery("test", "body")
found: firth.TextSearch = table.search_text(query).where("id < 3").select(["id"]).limit(5)
near: firth.VectorSearch = table.search_vector([[0.5, 1.0]], "emb", metric="l2", radius=2.0)
matches: int = found.report()["matches"]
words: int = found.report()["columns"]["body"]["tokens"]
scan: firth.ScanReport = near.report()["scan"]
told: dict[str, object] = near.explain()

places: list[str] = [at.partition for at in table.lookup(["1", "2"]).locations]
keys_of_value: list[str] = [m.key for m in table.lookup(column="name", value=["a", None]).matches]
index_states: list[str] = [index.state for index in table.indexes()]
nulls: list[int | None] = [of.nulls for of in table.column_statistics(["ts"]).statistics]
possible: list[bool] = table.bloom_filter("p/f.parquet", ["1"]).possible
explained: dict[str, object] = table.explain(["id"], "id = 1", as_of="20260201", use_metadata=False)
promised: firth.Result = table.read(where="id = 1", unique_keys=True)

# Mistakes that must stay mistakes: a strict run reports an ignore that is not needed.
table.incremental(None)  # type: ignore[arg-type]
table.read(columns=[1])  # type: ignore[list-item]
table.read(limit="5")  # type: ignore[arg-type]
table.lookup(column="name", value=0.5)  # type: ignore[call-overload]
near.report()["matches"]  # type: ignore[typeddict-item]
