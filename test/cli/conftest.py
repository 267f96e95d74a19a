# SPDX-License-Identifier: Apache-2.0
"""The command as a process, over the committed golden tables."""

import dataclasses
import json
import os
import pathlib
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = ROOT / "test" / "data" / "tables"
FIRTH = pathlib.Path(os.environ.get("FIRTH_COMMAND", ROOT / "build" / "firth"))


@dataclasses.dataclass(frozen=True)
class Result:
    code: int
    out: bytes
    err: str

    @property
    def text(self):
        return self.out.decode()

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def rows(self):
        return [json.loads(line) for line in self.text.splitlines()]


@dataclasses.dataclass(frozen=True)
class GoldenTable:
    path: str
    expected: dict

    def rows(self, view, meta=False):
        """The rows of a recorded view, by record key."""
        found = sorted(
            (self.expected["rows"][i] for i in view["rows"]), key=lambda r: r["_hoodie_record_key"]
        )
        return found if meta else [without_meta(row) for row in found]


def without_meta(row):
    return {name: value for name, value in row.items() if not name.startswith("_hoodie_")}


@pytest.fixture(scope="session")
def command():
    """The path of the command."""
    if not FIRTH.exists():
        pytest.fail(f"{FIRTH} is missing: run make build")
    return str(FIRTH)


@pytest.fixture(scope="session")
def firth(command):
    """Runs `firth ARGUMENTS...`; never a terminal."""

    def run(*arguments, **options):
        done = subprocess.run(
            [command, *map(str, arguments)],
            capture_output=True,
            timeout=120,
            check=False,
            **options,
        )
        return Result(done.returncode, done.stdout, done.stderr.decode())

    return run


@pytest.fixture(scope="session")
def golden(tmp_path_factory):
    """golden(NAME): the table unpacked, with what Hudi recorded about it."""
    folder = tmp_path_factory.mktemp("tables")

    def unpack(name):
        if not (folder / name).exists():
            with zipfile.ZipFile(TABLES / f"{name}.zip") as content:
                content.extractall(folder / name)
        roots = [p.parent for p in (folder / name).rglob(".hoodie")]
        root = min(roots, key=lambda p: len(p.parts))
        expected = json.loads((TABLES / f"{name}.expected.json").read_text())
        return GoldenTable(str(root), expected)

    return unpack


@pytest.fixture(scope="session")
def basic(golden):
    """67 rows in three partitions, merge-on-read, with updates and deletes in its logs."""
    return golden("v9_mor_basic")


@pytest.fixture(scope="session")
def types(golden):
    """A column of every type, with nulls and extremes."""
    return golden("v9_mor_types")
