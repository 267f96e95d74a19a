# SPDX-License-Identifier: Apache-2.0
"""Runs the queries of all selected golden tests ahead, a few processes at a time."""

import concurrent.futures
import os

import pytest
import tables


@pytest.fixture(scope="session")
def answers(request, tmp_path_factory):
    """{query: future of its Answer} of every `query` parameter that was selected."""
    if not tables.FIRTH.exists():
        pytest.fail(f"{tables.FIRTH} is missing: run make build")
    archives = tables.archives()
    unpacked = tables.Tables(tmp_path_factory.mktemp("golden"))
    wanted = {
        item.callspec.params["query"]: None
        for item in request.session.items
        if "query" in getattr(getattr(item, "callspec", None), "params", {})
    }
    paths = {q.table: unpacked.path(archives[q.table]) for q in wanted}
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield {q: pool.submit(tables.read, paths[q.table], q.arguments) for q in wanted}
        pool.shutdown(cancel_futures=True)
