# SPDX-License-Identifier: Apache-2.0
"""firth show, timeline, files, schema and stats against what Hudi recorded."""

import collections


def test_show_tells_what_the_table_is(firth, basic):
    found = firth("show", basic.path, "--json").json
    assert (found["name"], found["version"], found["type"]) == ("v9_mor_basic", 9, "MERGE_ON_READ")
    assert found["record_key_fields"] == ["id"]
    assert found["partition_fields"] == ["part"]
    assert found["ordering_fields"] == ["ts"]
    assert found["merge_mode"] == basic.expected["properties"]["hoodie.record.merge.mode"]
    assert found["properties"] == basic.expected["properties"]
    listed = found["properties"]["hoodie.table.metadata.partitions"]
    assert ",".join(found["metadata_partitions"]) == listed
    columns = ", ".join(f"{c['name']} {c['type']}" for c in found["schema"])
    assert columns == basic.expected["schema_ddl"]
    text = firth("show", basic.path).text
    for part in ["v9_mor_basic", "MERGE_ON_READ", "bigint", "deltacommit", found["snapshot"]]:
        assert part in text


def test_schema_prints_spark_types(firth, types):
    found = firth("schema", types.path, "--json").json
    columns = ", ".join(f"{c['name']} {c['type']}" for c in found)
    written = types.expected["schema_ddl"]  # Hudi stores the small integers as int
    assert columns == written.replace("tinyint", "int").replace("smallint", "int")
    assert "map<string,struct<k:int,l:array<string>>>" in firth("schema", types.path).text


def test_schema_history_of_a_table_whose_columns_were_widened(firth, golden):
    table = golden("v9_mor_evolve_promote")
    versions = firth("schema", table.path, "--history", "--json").json["versions"]
    assert len(versions) >= 2
    assert all(change.startswith("added column") for change in versions[0]["changes"])
    assert any(c.startswith("changed column") for v in versions[1:] for c in v["changes"])
    latest = ", ".join(f"{c['name']} {c['type']}" for c in versions[-1]["columns"])
    assert latest == ", ".join(
        f"{c['name']} {c['type']}" for c in firth("schema", table.path, "--json").json
    )


def test_timeline_lists_the_recorded_actions(firth, basic):
    found = firth("timeline", basic.path, "--json").json
    recorded = [
        (a["requested"], a["completed"], a["action"], a["state"])
        for a in basic.expected["timeline"]
    ]
    assert [(a["requested"], a["completed"], a["action"], a["state"]) for a in found] == recorded
    assert all(a["requested"] in firth("timeline", basic.path).text for a in found)


def test_timeline_with_history_is_longer(firth, golden):
    path = golden("v9_cow_archived").path
    active = firth("timeline", path, "--json").json
    everything = firth("timeline", path, "--archived", "--json").json
    assert any(a["archived"] for a in everything) and not any(a["archived"] for a in active)
    assert len(everything) > len(active)
    times = [a["requested"] for a in everything]
    assert times == sorted(times)


def test_files_lists_the_slices_of_a_snapshot(firth, basic):
    found = firth("files", basic.path, "--json").json
    recorded = {
        (group["partition"], group["file_id"])
        for group in basic.expected["file_slices"]
        if group["snapshot"]
    }
    assert {(s["partition"], s["file_id"]) for s in found} == recorded
    assert all(s["base_bytes"] > 0 for s in found if s["base_file"])
    earliest = min(basic.expected["time_travel"])
    older = firth("files", basic.path, "--as-of", earliest, "--json").json
    assert len(older) <= len(found) and not any(s["log_files"] for s in older)


def test_stats_count_rows_files_and_bytes(firth, basic):
    found = firth("stats", basic.path, "--json").json
    rows = basic.rows(basic.expected["snapshot"])
    per_partition = collections.Counter(row["part"] for row in rows)
    assert found["rows"] == len(rows)
    assert {p["partition"]: p["rows"] for p in found["partitions"]} == per_partition
    slices = firth("files", basic.path, "--json").json
    assert found["file_slices"] == len(slices)
    assert found["base_bytes"] == sum(s["base_bytes"] for s in slices)
    assert found["log_files"] == sum(len(s["log_files"]) for s in slices)
    assert found["bytes"] == found["base_bytes"] + found["log_bytes"]
    assert 0 < found["log_share"] < 1
    text = firth("stats", basic.path).text
    assert "(table)" in text and "p0" in text


def test_stats_of_an_empty_table(firth, golden):
    found = firth("stats", golden("v9_cow_empty").path, "--json").json
    assert (found["rows"], found["bytes"], found["newest_write"]) == (0, 0, None)
