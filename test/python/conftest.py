# SPDX-License-Identifier: Apache-2.0
import pathlib
import zipfile

import pytest

import firth

TABLES = pathlib.Path(__file__).resolve().parents[1] / "data" / "tables"


@pytest.fixture(scope="session")
def unpack(tmp_path_factory):
    """The path of a golden table, unpacked; do not write to it."""
    folder = tmp_path_factory.mktemp("tables")

    def to_path(name):
        path = folder / name
        if not path.exists():
            with zipfile.ZipFile(TABLES / f"{name}.zip") as archive:
                archive.extractall(folder)
        return path

    return to_path


@pytest.fixture
def tickets(unpack):
    return firth.open(unpack("tickets"))
