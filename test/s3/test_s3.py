# SPDX-License-Identifier: Apache-2.0
"""Tables in a bucket give the rows that they give on a disk, also over a bad network."""

import collections
import json
import os
import shutil
import subprocess

import proxy
import pytest
import seaweed
import tables
from bucket import options

ARCHIVES = {
    name: archive
    for name, archive in tables.archives().items()
    if name not in tables.REFUSED_FORMAT
    and (os.environ.get("FIRTH_S3_ALL") or archive.parent == tables.COMMITTED)
}


@pytest.mark.parametrize("name", sorted(ARCHIVES))
def test_golden_tables_in_a_bucket_give_the_same_rows(lake, name):
    """FIRTH_S3_ALL=1 takes every golden table instead of the committed ones."""
    archive = ARCHIVES[name]
    address = lake.address(archive)
    for query in tables.queries(archive):
        if query.differs is not None:
            continue
        answer = tables.read(address, query.arguments + options(lake.endpoint))
        assert answer.code == tables.DONE, f"{query.id}: {answer.stderr}"
        assert answer.rows == query.rows, query.id


@pytest.fixture(scope="module")
def merged():
    """A merge-on-read table with several partitions and logs, and its latest rows."""
    archive = tables.archives()["v9_mor_basic"]
    return archive, tables.queries(archive)[0]


@pytest.mark.parametrize("fault", ["reset", "500", "503", "cut"])
@pytest.mark.parametrize("every", [2, 3, 7])
def test_passing_faults_are_retried_and_the_rows_are_right(lake, far_lake, merged, fault, every):
    archive, query = merged
    address = lake.address(archive)
    asked = collections.Counter()  # by path: requests that run at once have no order

    def fail_now_and_then(_, method, path):
        asked[method, path] += 1
        return fault if asked[method, path] % every == 1 else None

    far_lake.reset(proxy.Behaviour(fault=fail_now_and_then))
    answer = tables.read(address, query.arguments + options(far_lake.address))
    assert any(request.fault for request in far_lake.requests)
    assert answer.code == tables.DONE, answer.stderr
    assert answer.rows == query.rows


@pytest.mark.parametrize("fault", ["reset", "500", "503", "cut"])
def test_faults_that_stay_are_an_error_and_never_fewer_rows(lake, far_lake, merged, fault):
    archive, query = merged
    address = lake.address(archive)
    broken = proxy.Behaviour(fault=lambda n, method, path: fault if "parquet" in path else None)
    far_lake.reset(broken)
    answer = tables.read(address, query.arguments + options(far_lake.address))
    assert answer.code == tables.FAILED
    assert not answer.rows
    assert answer.stderr.count("\n") == 0
    assert address in answer.stderr
    assert seaweed.SECRET_KEY not in answer.stderr


# Size and content of the properties, the timeline, commit metadata, schema history, listings
# of the root and of the partitions, the timeline again (a clean may have run meanwhile), and the
# one data file, which is small.
LISTING_ROUNDS = 9
# In place of the two listings, whatever the number of folders and files: size and content of the
# properties of the metadata table, with its timeline, commits and folders at the same time; then
# all files of its partition `files` at once.
METADATA_ROUNDS = LISTING_ROUNDS + 1
# All files of `column_stats` at once. Where base files have more than the 256 KiB that are read of
# their ends, the blocks that the keys asked for are in follow.
STATISTICS_ROUNDS = METADATA_ROUNDS + 1

COLD_READS = {
    "listing": (("--where", "part = 'p1'", "--no-metadata"), LISTING_ROUNDS),
    "metadata": (("--where", "part = 'p1'"), METADATA_ROUNDS),
    "statistics": (("--where", "part = 'p1' AND qty > 8"), STATISTICS_ROUNDS),
}


@pytest.mark.parametrize("name", COLD_READS)
def test_a_cold_read_of_one_column_of_one_partition_takes_few_rounds(lake, far_lake, name):
    arguments, most = COLD_READS[name]
    archive = tables.archives()["v9_cow_basic"]
    address = lake.address(archive)
    far_lake.reset(proxy.Behaviour(latency=0.03))
    answer = tables.read(address, ("--columns", "id", *arguments, *options(far_lake.address)))
    assert answer.code == tables.DONE, answer.stderr
    assert answer.rows
    rounds = proxy.dependent_rounds(far_lake.requests)
    listed = "\n".join(f"{r.start:.3f} {r.end:.3f} {r.method} {r.path}" for r in far_lake.requests)
    assert rounds <= most, listed


def _rewrite(path, change):
    path.write_bytes(change(path.read_bytes()))


def _newest_log(root):
    return max((root / ".hoodie/metadata/files").glob(".files-0000-0_*.log.*"))


def _newest_commit(root):
    return max((root / ".hoodie/metadata/.hoodie/timeline").glob("*.deltacommit"))


def _being_built(properties):
    return properties + b"\nhoodie.table.metadata.partitions.inflight=files,column_stats\n"


# What happens to a metadata table, and what --explain says of it then.
DAMAGE = {
    "none": (lambda root: None, "files listed from the metadata table"),
    "gone": (lambda root: shutil.rmtree(root / ".hoodie/metadata"), "metadata table not used"),
    "cut": (
        lambda root: _rewrite(_newest_log(root), lambda content: content[:-40]),
        "metadata table not used: its file files/",
    ),
    "damaged": (
        lambda root: _rewrite(_newest_log(root), lambda content: b"\0" * len(content)),
        "metadata table not used",
    ),
    "lost": (lambda root: _newest_log(root).unlink(), "metadata table not used: its file files/"),
    "behind": (
        lambda root: _newest_commit(root).unlink(),
        "metadata table not used: it lags behind",
    ),
    "being built": (
        lambda root: _rewrite(root / ".hoodie/hoodie.properties", _being_built),
        "metadata table not used: it is still being built",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_metadata_tables_in_a_bucket_never_change_rows(lake, merged, tmp_path, damage):
    change, said = DAMAGE[damage]
    archive, query = merged
    root = tables.Tables(tmp_path).path(archive)
    change(root)
    address = lake.upload(root, f"damage/{damage}")
    arguments = (*query.arguments, *options(lake.endpoint))
    answer = tables.read(address, arguments)
    assert answer.code == tables.DONE, answer.stderr
    assert answer.rows == query.rows
    command = [str(tables.FIRTH), "read", address, "--explain", *arguments]
    explained = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert said in explained.stdout


def test_statistics_in_a_bucket_skip_slices(lake):
    archive = tables.archives()["v9_mor_stats_types"]
    address = lake.address(archive)
    where = "day > DATE '2090-01-01' AND d18 > 13000.5"
    command = [str(tables.FIRTH), "read", address, "--where", where, "--explain", "--json"]
    command += options(lake.endpoint)
    explained = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    report = json.loads(explained.stdout)
    assert (report["slices"], report["slices_pruned"]) == (5, 4), report
    answer = tables.read(address, ("--columns", "id", "--where", where, *options(lake.endpoint)))
    assert answer.rows == tables.lines([{"id": 21}])


def test_wrong_credentials_are_one_clear_line_without_secrets(lake, merged):
    archive, query = merged
    address = lake.address(archive)
    answer = tables.read(address, options(lake.endpoint, secret="wrong-secret-77"))
    assert answer.code == tables.FAILED
    assert "lake" in answer.stderr
    assert "wrong-secret-77" not in answer.stderr
    assert seaweed.ACCESS_KEY not in answer.stderr


def test_a_missing_bucket_or_table_is_not_found(lake):
    for address in ("s3://lake/no-such-table", "s3://no-such-bucket/t"):
        answer = tables.read(address, options(lake.endpoint))
        assert answer.code == tables.NOT_FOUND, answer.stderr
        assert address in answer.stderr
