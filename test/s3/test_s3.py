# SPDX-License-Identifier: Apache-2.0
"""Tables in a bucket give the rows that they give on a disk, also over a bad network."""

import os

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
    faulty = proxy.Behaviour(fault=lambda n, method, path: fault if n % every == 1 else None)
    far_lake.reset(faulty)
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
MAX_ROUNDS = 9


def test_a_cold_read_of_one_column_of_one_partition_takes_few_rounds(lake, far_lake):
    archive = tables.archives()["v9_cow_basic"]
    address = lake.address(archive)
    far_lake.reset(proxy.Behaviour(latency=0.03))
    arguments = ("--columns", "id", "--where", "part = 'p1'")
    answer = tables.read(address, arguments + options(far_lake.address))
    assert answer.code == tables.DONE, answer.stderr
    assert answer.rows
    rounds = proxy.dependent_rounds(far_lake.requests)
    listed = "\n".join(f"{r.start:.3f} {r.end:.3f} {r.method} {r.path}" for r in far_lake.requests)
    assert rounds <= MAX_ROUNDS, listed


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
